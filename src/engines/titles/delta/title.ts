const names: Readonly<Record<string, string>> = {
  lol: 'League of Legends',
  valorant: 'Valorant',
  bacon: 'Legends of Runeterra',
}

const contentHost = /^([^.]+)\.(?:.+\.)?dyn\.riotcdn(?:\.|$)/

/**
 * Product of a content host such as `valorant.dyn.riotcdn.net` or `valorant.secure.dyn.riotcdn.net`;
 * null for any other host.
 */
export function deltaProduct(host: string): string | null {
  const [, first = ''] = contentHost.exec(host.toLowerCase()) ?? []
  return Object.hasOwn(names, first) ? first : null
}

export const deltaName = (product: string): string | null =>
  Object.hasOwn(names, product) ? (names[product] as string) : null

/** Names of all known products. */
export const deltaNames = (): string[] => Object.values(names)
