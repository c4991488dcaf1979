import { compact, oneOf, type RawSearch, matching, trimmedOf } from '../../../app/search-parts.ts'

export const spans = [15, 60, 360, 1440] as const

/** Both checks on one page, as state in the URL. */
export const integritySearch = (search: RawSearch) =>
  compact({
    // One download instead of the whole cache.
    view: oneOf(['object'], search['view']),
    // Repeated misses instead of the scan of all files.
    method: oneOf(['missed'], search['method']),
    service: matching(search['service'], /^[\w.-]{1,200}$/),
    // The file with the open evidence panel.
    open: matching(search['open'], /^[\w.:-]{1,200}$/),
    // An earlier scan, read-only.
    scan: matching(search['scan'], /^[0-9a-f-]{36}$/i),
    client: trimmedOf(search['client'], 100),
    // How far back the log is searched; absent without a search.
    minutes: oneOf<number>(spans, Number(search['minutes'])),
    source: trimmedOf(search['source'], 100),
    url: trimmedOf(search['url'], 4000),
    tag: trimmedOf(search['tag'], 300),
  })
export type IntegritySearch = ReturnType<typeof integritySearch>
