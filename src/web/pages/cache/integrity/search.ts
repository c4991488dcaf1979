import { compact, oneOf, type RawSearch } from '../../../app/search-parts.ts'
import { corruptionSearch } from '../corruption/search.ts'
import { doctorSearch } from '../doctor/search.ts'

/** Both checks on one page, as state in the URL. */
export const integritySearch = (search: RawSearch) => ({
  // One download instead of the whole cache.
  ...compact({ view: oneOf(['object'], search['view']) }),
  ...corruptionSearch(search),
  ...doctorSearch(search),
})
export type IntegritySearch = ReturnType<typeof integritySearch>
