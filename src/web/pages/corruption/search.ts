import { compact, matching, oneOf, type RawSearch } from '../../app/search-parts.ts'

/** Which results are shown, as it stands in the address. */
export const corruptionSearch = (search: RawSearch) =>
  compact({
    // Repeated misses instead of the check of all files.
    method: oneOf(['missed'], search['method']),
    service: matching(search['service'], /^[\w.-]{1,200}$/),
    // The file whose evidence is open.
    open: matching(search['open'], /^[\w.:-]{1,200}$/),
    // An earlier scan, read-only.
    scan: matching(search['scan'], /^[0-9a-f-]{36}$/i),
  })
export type CorruptionSearch = ReturnType<typeof corruptionSearch>
