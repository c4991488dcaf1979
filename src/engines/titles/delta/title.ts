const names: Readonly<Record<string, string>> = {
  lol: 'League of Legends',
  valorant: 'Valorant',
  bacon: 'Legends of Runeterra',
}

/** Product of a content host such as `valorant.dyn.riotcdn.net`; null for any other host. */
export function deltaProduct(host: string): string | null {
  const [first = '', second, ...rest] = host.toLowerCase().split('.')
  const isContentHost = second === 'dyn' && rest[0] === 'riotcdn'
  return isContentHost && Object.hasOwn(names, first) ? first : null
}

export const deltaName = (product: string): string | null =>
  Object.hasOwn(names, product) ? (names[product] as string) : null

/** Names of all known products. */
export const deltaNames = (): string[] => Object.values(names)
