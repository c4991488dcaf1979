import { compact, oneOf, trimmedOf, type RawSearch } from '../../../app/search-parts.ts'

export const spans = [15, 60, 360, 1440] as const

/** The doctor's input, as state in the URL. */
export const doctorSearch = (search: RawSearch) =>
  compact({
    client: trimmedOf(search['client'], 100),
    // How far back the log is searched; absent without a search.
    minutes: oneOf<number>(spans, Number(search['minutes'])),
    source: trimmedOf(search['source'], 100),
    url: trimmedOf(search['url'], 4000),
    tag: trimmedOf(search['tag'], 300),
  })
export type DoctorSearch = ReturnType<typeof doctorSearch>
