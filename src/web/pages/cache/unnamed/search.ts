import { compact, matching, type RawSearch } from '../../../app/search-parts.ts'

/** The title that is named first, by its key. */
export const unnamedSearch = (search: RawSearch) =>
  compact({ title: matching(search['title'], /^[\w-]{1,20}:[^\s]{1,200}$/) })
