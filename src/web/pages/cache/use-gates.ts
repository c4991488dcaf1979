import { useDatasources } from '../../api/cache-queries.ts'
import { keyGates, writeGates } from './gates.ts'

/** Current gates; nothing is blocked while loading. */
export function useGates() {
  const all = useDatasources().data?.items ?? []
  const write = writeGates(all)
  const keys = keyGates(all)
  return {
    write,
    keys,
    /** For work on single objects. */
    all: [...write, ...keys],
    canWriteLogs: all.length > 0 && all.every(({ canWriteLogs }) => canWriteLogs),
  }
}
