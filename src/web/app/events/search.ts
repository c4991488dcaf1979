import { compact, matching, oneOf, pageOf, type RawSearch } from '../search-parts.ts'

export const eventStates = ['active', 'upcoming', 'past'] as const
export type EventState = (typeof eventStates)[number]

const monthPattern = /^(19|20|21)\d\d-(0[1-9]|1[0-2])$/
const dayPattern = /^(19|20|21)\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/

/** State of the events page in the URL. */
export const eventsSearch = (search: RawSearch) =>
  compact({
    // `2026-11`; absent: this month.
    month: matching(search['month'], monthPattern),
    view: oneOf(['list'], search['view']),
    state: oneOf(eventStates, search['state']),
    // The form: `new` or the id of an event; `feed`: the address of the calendar feed.
    open: matching(search['open'], /^(new|feed|\d{1,15})$/),
    // `2026-11-21`: the selected day, on which a new event begins.
    day: matching(search['day'], dayPattern),
  })
export type EventsSearch = ReturnType<typeof eventsSearch>

/** Downloads of an event: with its tag, or all that began inside it. */
export const eventSearch = (search: RawSearch) =>
  compact({
    shown: oneOf(['inside'], search['shown']),
    page: pageOf(search['page'], 1_000_000),
    view: oneOf(['report'], search['view']),
  })

export const metrics = ['served', 'hits', 'misses'] as const
export type Metric = (typeof metrics)[number]

/** More lines would be indistinguishable. */
export const comparedMax = 6

/** Ids in a URL: without duplicates, up to the maximum. */
export const idsOf = (text: unknown): number[] =>
  typeof text === 'string'
    ? [...new Set(text.split(',').filter((id) => /^[1-9]\d{0,14}$/.test(id)))]
        .map(Number)
        .slice(0, comparedMax)
    : []

/** Compared events, as comma-separated ids. */
export const comparisonSearch = (search: RawSearch) =>
  compact({
    ids: idsOf(search['ids']).join(',') || undefined,
    metric: oneOf(['hits', 'misses'], search['metric']),
  })
