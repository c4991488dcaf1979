import { useDatasources } from '../../api/cache-queries.ts'
import { keyGates, noCache, writeGates } from './gates.ts'

/** Current gates; nothing is blocked while loading. */
export function useGates() {
  const { data } = useDatasources()
  // A cache server that is away is named by itself, and what is done without it is a choice.
  const all = (data?.items ?? []).filter(({ awaySinceUtc }) => awaySinceUtc === undefined)
  const none = data?.items.length === 0 ? [noCache] : []
  const write = writeGates(all)
  const keys = keyGates(all)
  return {
    write,
    keys: [...none, ...keys],
    /** For work on single objects. */
    all: [...none, ...write, ...keys],
    canWriteLogs: all.length > 0 && all.every(({ canWriteLogs }) => canWriteLogs),
  }
}
