import { noTitle, type Title } from '../../titles/titles.ts'
import { makeTag, type Tag } from '../lines/line.ts'
import { isKnownService, otherService } from '../lines/service-label.ts'
import type { NoteLimit } from '../limits.ts'

/**
 * Services per day besides the known ones: a service is a Host header, which any client can forge.
 */
export const maxServicesOfDay = 200
/** Titles per day: parts of paths, which can be forged as well. */
export const maxTitlesOfDay = 10_000

const daySeconds = 86_400
/** Days kept in memory. */
const maxDays = 64

type Kind = 'service' | 'title'

/** A new name of a day; row of `day_name`. */
export interface DayName {
  day: number
  kind: Kind
  name: string
}

type Day = Record<Kind, Set<string>>

export interface DayStore {
  /** Names admitted earlier that day. */
  dayNames(day: number): DayName[]
}

/** Collects the lines of all services beyond the limit. Has no titles and samples no objects. */
export const otherTag = makeTag(otherService)

export const dayOf = (timeS: number): number => timeS - (timeS % daySeconds)

/** Whether it was admitted on the day of this time. */
export const isOfDay = ({ day }: { day: number }, timeS: number): boolean =>
  timeS >= day && timeS < day + daySeconds

/**
 * Limits the names per day of the log, so that forged ones can fill neither reports nor the
 * history. Anything beyond the limit counts for one service, or for no title: sums stay exact.
 */
export class DayNames {
  readonly #store: DayStore
  readonly #noteLimit: NoteLimit
  #days = new Map<number, Day>()
  #added: DayName[] = []

  constructor(store: DayStore, note: NoteLimit) {
    this.#store = store
    this.#noteLimit = note
  }

  tag(tag: Tag, day: number): Tag {
    if (isKnownService(tag.service) || this.#admits('service', tag.service, day)) {
      tag.day = day
      return tag
    }
    this.#note('servicesOfDay', maxServicesOfDay, day)
    return otherTag
  }

  /** No title replaces titles beyond the limit. */
  title(title: Title, day: number): Title {
    if (title === noTitle || this.#admits('title', title.key, day)) {
      title.day = day
      return title
    }
    this.#note('titlesOfDay', maxTitlesOfDay, day)
    return noTitle
  }

  /** New names, for the current commit. */
  take(): DayName[] {
    const added = this.#added
    this.#added = []
    if (this.#days.size > maxDays) {
      const unsaved = new Set(added.map(({ day }) => day))
      this.#days = new Map([...this.#days].filter(([day]) => unsaved.has(day)))
    }
    return added
  }

  #admits(kind: Kind, name: string, day: number): boolean {
    const known = this.#dayAt(day)[kind]
    if (known.has(name)) return true
    if (known.size >= (kind === 'service' ? maxServicesOfDay : maxTitlesOfDay)) return false
    known.add(name)
    this.#added.push({ day, kind, name })
    return true
  }

  #dayAt(day: number): Day {
    let names = this.#days.get(day)
    if (names === undefined) {
      names = { service: new Set(), title: new Set() }
      for (const { kind, name } of this.#store.dayNames(day)) names[kind].add(name)
      this.#days.set(day, names)
    }
    return names
  }

  #note(limit: 'servicesOfDay' | 'titlesOfDay', value: number, day: number): void {
    this.#noteLimit(limit, value, new Date(day * 1000).toISOString().slice(0, 10))
  }
}
