import { useDatasources } from '../../api/cache-queries.ts'
import { keyGates, noCache, writeGates } from './gates.ts'

/** Current gates; nothing is blocked while loading. */
export function useGates() {
  const { data } = useDatasources()
  const all = data?.items ?? []
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
