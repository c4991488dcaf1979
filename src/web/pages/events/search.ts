export const eventStates = ['active', 'upcoming', 'past'] as const
export type EventState = (typeof eventStates)[number]

/** What the page of events shows, as it stands in the address. */
export interface EventsSearch {
  /** `2026-11`; absent: this month. */
  month?: string | undefined
  view?: 'list' | undefined
  state?: EventState | undefined
  /** The form: `new` or the id of an event; `feed`: the address of the calendar feed. */
  open?: string | undefined
  /** `2026-11-21`: the day that is looked at, or on which a new event begins. */
  day?: string | undefined
}

const matching = (value: unknown, pattern: RegExp): string | undefined =>
  typeof value === 'string' && pattern.test(value) ? value : undefined

const monthPattern = /^(19|20|21)\d\d-(0[1-9]|1[0-2])$/
const dayPattern = /^(19|20|21)\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/

export const eventsSearch = (search: Record<string, unknown>): EventsSearch => ({
  month: matching(search['month'], monthPattern),
  view: search['view'] === 'list' ? 'list' : undefined,
  state: eventStates.find((known) => known === search['state']),
  open: matching(search['open'], /^(new|feed|\d{1,15})$/),
  day: matching(search['day'], dayPattern),
})

export const metrics = ['served', 'hits', 'misses'] as const
export type Metric = (typeof metrics)[number]

/** More lines than this cannot be told apart. */
export const comparedMax = 6

export interface ComparisonSearch {
  /** Ids of events, parted by commas. */
  ids?: string | undefined
  metric?: Exclude<Metric, 'served'> | undefined
}

/** Ids in an address: each once, as many as can be compared. */
export const idsOf = (text: unknown): number[] =>
  typeof text === 'string'
    ? [...new Set(text.split(',').filter((id) => /^[1-9]\d{0,14}$/.test(id)))]
        .map(Number)
        .slice(0, comparedMax)
    : []

export function comparisonSearch(search: Record<string, unknown>): ComparisonSearch {
  const ids = idsOf(search['ids'])
  return {
    ids: ids.length === 0 ? undefined : ids.join(','),
    metric: (['hits', 'misses'] as const).find((known) => known === search['metric']),
  }
}
