import { platforms } from '../../../../platforms/platforms.ts'
import { eventOf } from '../../../app/range.ts'
import { compact, oneOf, type RawSearch } from '../../../app/search-parts.ts'

const sources = ['suggestions', ...platforms] as const
export type Source = (typeof sources)[number]

export interface ReadySearch {
  /** The open list that games are added from. */
  add?: Source | undefined
  /** The event whose games are suggested, instead of the last one. */
  event?: number | undefined
}

export const readySearch = ({ add, event }: RawSearch): ReadySearch =>
  compact({ add: oneOf(sources, add), event: eventOf(event) })
