import type { Sql } from 'postgres'
import type { DownloadsParts } from '../parts.ts'
import { withMark } from '../reports/evicted-mode.ts'
import { deleteParties } from '../../../db/state/parties.ts'
import { deleteLinks } from '../../../db/state/share-links.ts'
import { AppError } from '../../core/http/errors.ts'
import { listDownloads, tagsOf } from '../downloads/store.ts'
import { activeSince } from '../reports/active.ts'
import type { Reports } from '../reports/reports.ts'
import type { Filling } from './filling.ts'
import type { CalendarEvent, EventBody, EventDownloadsQuery } from './model.ts'
import { wantedEvent } from './rules.ts'
import * as store from './store.ts'
import * as tags from './tag-store.ts'

/** Downloads per answer, the newest. */
export const eventDownloadsMax = 1000
/** Downloads whose tags are looked up at once. */
export const lookedUpMax = 500

const missing = () => new AppError('notFound', 'Event not found')

const seconds = (text: string) => Date.parse(text) / 1000

/** Named time ranges and their downloads. */
export class Events {
  readonly #read: <T>(query: (sql: Sql) => Promise<T>) => Promise<T>
  readonly #reports: Reports
  readonly #clock: DownloadsParts['clock']
  readonly #hub: Pick<DownloadsParts['hub'], 'publish'>
  readonly #settings: DownloadsParts['settings']
  readonly #state: DownloadsParts['state']
  readonly #filling: Pick<Filling, 'check'>

  constructor(
    { clock, hub, settings, state }: Pick<DownloadsParts, 'clock' | 'hub' | 'settings' | 'state'>,
    { reports, filling }: { reports: Reports; filling: Pick<Filling, 'check'> },
  ) {
    this.#filling = filling
    this.#read = reports.read
    this.#reports = reports
    this.#clock = clock
    this.#hub = hub
    this.#settings = settings
    this.#state = state
  }

  /** All events, newest start first. */
  list = (): Promise<CalendarEvent[]> => this.#read(store.listEvents)

  /** The current events. */
  active(): Promise<CalendarEvent[]> {
    const now = this.#clock.now().getTime() / 1000
    return this.#read((sql) => store.eventsWithin(sql, { start: now, end: now }))
  }

  async calendar(start: number, end: number): Promise<CalendarEvent[]> {
    if (end < start) return []
    return this.#read((sql) => store.eventsWithin(sql, { start, end }))
  }

  async one(id: number): Promise<CalendarEvent> {
    const event = await this.#read((sql) => store.findEvent(sql, id))
    if (event === null) throw missing()
    return event
  }

  /** Tagged downloads, or all that began inside the event; newest first, without hidden clients. */
  async downloads(id: number, query: EventDownloadsQuery) {
    const event = await this.one(id)
    const { taggedOnly = false, includePrefill = false, showZeroBytes = false } = query
    const window = { start: seconds(event.startTimeUtc), end: seconds(event.endTimeUtc) }
    const scope = this.#reports.shown({
      period: taggedOnly ? { start: null, end: null } : window,
      eventId: taggedOnly ? id : null,
      includePrefill,
      without: [],
    })
    const since = activeSince(this.#clock.now()).getTime() / 1000
    const options = { limit: eventDownloadsMax, activeSince: since, showZeroBytes }
    const found = await this.#read((sql) => listDownloads(sql, scope, options))
    return found.map((download) => withMark(this.#settings, download))
  }

  async create(body: EventBody): Promise<CalendarEvent> {
    const wanted = wantedEvent(body)
    const event = await this.#read((sql) => store.insertEvent(sql, wanted, this.#clock.now()))
    this.#hub.publish('EventCreated', event)
    void this.#filling.check()
    return event
  }

  async update(id: number, body: EventBody): Promise<CalendarEvent> {
    const change = { id, event: wantedEvent(body), now: this.#clock.now() }
    const event = await this.#read((sql) => store.updateEvent(sql, change))
    if (event === null) throw missing()
    this.#hub.publish('EventUpdated', event)
    void this.#filling.check()
    return event
  }

  async delete(id: number): Promise<void> {
    const isDeleted = await this.#read((sql) => store.deleteEvent(sql, id))
    if (!isDeleted) throw missing()
    deleteLinks(this.#state, String(id))
    deleteParties(this.#state, String(id))
    this.#changed('event-deleted')
    this.#hub.publish('EventDeleted', id)
  }

  async tag(eventId: number, downloadId: number): Promise<void> {
    const now = this.#clock.now()
    const outcome = await this.#read((sql) => tags.tagDownload(sql, { eventId, downloadId, now }))
    if (outcome === 'missingEvent') throw missing()
    if (outcome === 'missingDownload') throw new AppError('notFound', 'Download not found')
    this.#reports.dropAll()
    this.#hub.publish('DownloadTagged', { eventId, downloadId })
  }

  /** Does nothing without such a tag. */
  async untag(eventId: number, downloadId: number): Promise<void> {
    const isRemoved = await this.#read((sql) => tags.untagDownload(sql, { eventId, downloadId }))
    if (isRemoved) this.#changed('event-untagged')
  }

  /** Tags of many downloads, with an entry for every requested id. */
  async tagsOf(downloadIds: readonly number[]) {
    const ids = [...new Set(downloadIds.slice(0, lookedUpMax))]
    const found = ids.length === 0 ? new Map() : await this.#read((sql) => tagsOf(sql, ids))
    return Object.fromEntries(ids.map((id) => [String(id), { events: found.get(id) ?? [] }]))
  }

  /** Invalidates the event's reports. */
  #changed(reason: string): void {
    this.#reports.dropAll()
    this.#hub.publish('DownloadsRefresh', { reason })
  }
}
