/** The job of Prometheus for the service at this address; the key is to be filled in. */
export function scrapeConfig(
  { host, protocol }: { host: string; protocol: string },
  needsKey: boolean,
): string {
  const lines = [
    'scrape_configs:',
    '  - job_name: larder',
    ...(protocol === 'https:' ? ['    scheme: https'] : []),
    '    scrape_interval: 30s',
    ...(needsKey
      ? ['    authorization:', '      credentials_file: /etc/prometheus/larder.key']
      : []),
    '    static_configs:',
    `      - targets: ['${host}']`,
  ]
  return lines.join('\n')
}
