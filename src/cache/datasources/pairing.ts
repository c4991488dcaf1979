/** Names of two folders that belong together. */
export type NamePair = [cache: string, log: string]

/** Names match regardless of `-`, `_`, spaces and a plural ending. */
function normalised(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[-_ ]/g, '')
  return plain.length > 4 ? plain.replace(/s$/, '') : plain
}

const rules = [(name: string) => name, (name: string) => name.toLowerCase(), normalised]

/**
 * Pairs subfolders of a cache folder with those of a log folder: by exact name, then ignoring case,
 * then normalised. If one is left on each side, those two are paired.
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
