/** Two folders that belong together, by name. */
export type NamePair = [cache: string, log: string]

/** `-`, `_`, spaces and a plural ending do not tell names apart. */
function normalised(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[-_ ]/g, '')
  return plain.length > 4 ? plain.replace(/s$/, '') : plain
}

const rules = [(name: string) => name, (name: string) => name.toLowerCase(), normalised]

/**
 * Pairs the folders below a cache folder with those below a log folder: by exact name, then
 * whatever its case, then normalised. One that is left on either side pairs with the other one.
 */
export function pairNames(
  cacheNames: readonly string[],
  logNames: readonly string[],
  { mayWrap }: { mayWrap: boolean },
): NamePair[] {
  const pairs: NamePair[] = []
  let caches = [...cacheNames]
  const logs = [...logNames]
  for (const rule of rules) {
    caches = caches.filter((cache) => {
      const at = logs.findIndex((log) => rule(log) === rule(cache))
      if (at < 0) return true
      pairs.push([cache, ...logs.splice(at, 1)] as NamePair)
      return false
    })
  }
  const [cache] = caches
  const [log] = logs
  const isOneEach = caches.length === 1 && logs.length === 1
  if (mayWrap && isOneEach && cache !== undefined && log !== undefined) pairs.push([cache, log])
  return pairs
}
