import { platforms } from '../../../../platforms/platforms.ts'
import { compact, oneOf, textOf, unlessDefault, type RawSearch } from '../../../app/search-parts.ts'
import { sizeBandOf } from '../../../components/shelf/items.ts'

export const shownStates = ['missing', 'cached', 'newBuild', 'chosen', 'failed'] as const
const sorts = ['name', 'largest'] as const

const textMax = 200

/** What the shelf shows, in the URL; default values are left out. */
export const shelfSearch = (search: RawSearch) =>
  compact({
    search: textOf(search['search'], textMax),
    platform: oneOf(platforms, search['platform']),
    show: oneOf(shownStates, search['show']),
    size: sizeBandOf(search['size']),
    sort: unlessDefault(oneOf(sorts, search['sort']), 'name'),
  })
export type ShelfSearch = ReturnType<typeof shelfSearch>
