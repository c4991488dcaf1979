import { compact, matching, oneOf, type RawSearch } from '../../../app/search-parts.ts'

/** The displayed results, as state in the URL. */
export const corruptionSearch = (search: RawSearch) =>
  compact({
    // Repeated misses instead of the scan of all files.
    method: oneOf(['missed'], search['method']),
    service: matching(search['service'], /^[\w.-]{1,200}$/),
    // The file with the open evidence panel.
    open: matching(search['open'], /^[\w.:-]{1,200}$/),
    // An earlier scan, read-only.
    scan: matching(search['scan'], /^[0-9a-f-]{36}$/i),
  })
export type CorruptionSearch = ReturnType<typeof corruptionSearch>
