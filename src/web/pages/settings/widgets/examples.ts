/** A service of Homepage with the fields of the summary. */
export const homepageExample = (origin: string, token: string): string =>
  [
    '- Larder:',
    `    href: ${origin}`,
    '    widget:',
    '      type: customapi',
    `      url: ${origin}/api/widgets/summary`,
    '      headers:',
    `        Authorization: Bearer ${token}`,
    '      mappings:',
    '        - { field: totalSavedBytes, label: Saved, format: bytes }',
    '        - { field: todaySavedBytes, label: Today, format: bytes }',
    '        - { field: hitPercent, label: Hits, format: percent }',
    '        - { field: cacheFreeBytes, label: Free, format: bytes }',
  ].join('\n')

export const badgeExample = (origin: string, token: string): string =>
  `${origin}/api/widgets/badge.svg?figure=saved&token=${token}`
