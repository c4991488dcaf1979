import { AppError, orNotFound } from '../../core/http/errors.ts'
import { invisible } from '../../core/lib/invisible.ts'
import type { Queued } from '../../core/operations/contract.ts'
import { ScheduleError } from '../../core/schedules/custom.ts'
import type { ScheduledService } from './stored.ts'
import type { NodeHosts } from '../../engines/remote/hosts.ts'
import { namesOfNodes } from '../cache-address/of-node.ts'
import type { PrefillParts } from '../parts.ts'
import type { Platform } from '../../platforms/platforms.ts'
import type { HistoryStore } from '../sessions/history-store.ts'
import { rateOf } from '../sessions/rate.ts'
import { serviceOf } from './config.ts'
import {
  schedulesMax,
  type ChangedScheduleBody,
  type NamedSchedule,
  type NewScheduleBody,
  type ScheduleEstimate,
} from './named-model.ts'
import { scopeOf, type ScheduledPrefills } from './service.ts'
import type { Schedule, ScheduleStore } from './store.ts'

interface Parts extends Pick<PrefillParts, 'operations' | 'clock' | 'nodeHosts'> {
  history: Pick<HistoryStore, 'downloads'>
  store: ScheduleStore
  scheduled: ScheduledPrefills
}

/** Throws AppError: `invalid`, or `conflict` for the name of another schedule of the platform. */
function nameOf(store: ScheduleStore, given: string, self: { platform: Platform; id?: string }) {
  const name = given.trim()
  if (name === '' || invisible.test(name)) {
    throw new AppError('invalid', 'name: needs visible characters only')
  }
  const isSame = (one: Schedule) =>
    one.platform === self.platform &&
    one.id !== self.id &&
    one.name.toLowerCase() === name.toLowerCase()
  if (store.list().some(isSame)) {
    throw new AppError('conflict', 'The platform already has a schedule of this name')
  }
  return name
}

/** What the body leaves out keeps its value. Throws AppError `invalid`. */
function optionsOf(
  platform: Platform,
  body: Omit<ChangedScheduleBody, 'name'>,
  { held, now }: { held?: ScheduledService; now: Date },
): ScheduledService {
  try {
    const persistenceMode = held?.persistenceMode ?? null
    return serviceOf(platform, { ...held, ...body, persistenceMode }, now)
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error
    throw new AppError('invalid', error.message.replace(`${platform}.`, ''), { cause: error })
  }
}

/** A node that was removed stays chosen. Throws AppError `invalid`. */
function checkNode(hosts: NodeHosts, node: string | null | undefined, held?: ScheduledService) {
  const isKnown = node == null || node === held?.cache || namesOfNodes(hosts).includes(node)
  if (!isKnown) throw new AppError('invalid', `cache: there is no node ${node}`)
}

/** Size and time of a schedule's games, or of all that the platform's runs have downloaded. */
function estimateOf({ platform, options }: Schedule, history: Parts['history']): ScheduleEstimate {
  const chosen = options.selectedAppIds
  const isMeant = (appId: string) => chosen.length === 0 || chosen.includes(appId)
  const known = history.downloads(platform).filter(({ appId }) => isMeant(appId))
  const games = known.length
  // A chosen game without a known size makes the sum say too little.
  if (games < Math.max(1, chosen.length)) return { games, bytes: null, seconds: null }
  const bytes = known.reduce((sum, { totalBytes }) => sum + totalBytes, 0)
  const rate = rateOf(known)
  return { games, bytes, seconds: rate === null ? null : bytes / rate }
}

export type NamedSchedules = ReturnType<typeof createNamedSchedules>

/** Several schedules per platform, each with a name: the first one, and others beside it. */
export function createNamedSchedules(parts: Parts) {
  const { operations, clock, nodeHosts, history, store, scheduled } = parts

  function view(schedule: Schedule): NamedSchedule {
    const { id, platform, name, isFirst, options, lastRunAt, lastResult } = schedule
    const operationId = scheduled.operationOf(schedule)
    const isWaiting = (one: { scope: string; status: string }) =>
      one.scope === scopeOf(schedule) && one.status === 'waiting'
    const { serviceId: _, showNotification: __, persistenceMode: ___, ...shown } = options
    return {
      id,
      platform,
      name,
      isFirst,
      ...shown,
      isRunning: operationId !== null,
      isQueued: operations.list().some(isWaiting),
      operationId,
      lastRunUtc: lastRunAt?.toISOString() ?? null,
      nextRunUtc: scheduled.nextRunAt(schedule)?.toISOString() ?? null,
      lastResult,
    }
  }

  /** Throws AppError `notFound`. */
  const require = (id: string): Schedule => orNotFound(store.find(id), 'Schedule not found')

  return {
    list: (): NamedSchedule[] => store.list().map(view),

    /** Throws AppError: `invalid`, or `conflict` for a name in use and for one too many. */
    add({ platform, name: given, ...body }: NewScheduleBody): NamedSchedule {
      const name = nameOf(store, given, { platform })
      if (store.list().filter((one) => one.platform === platform).length >= schedulesMax) {
        throw new AppError('conflict', `A platform has at most ${schedulesMax} schedules`)
      }
      checkNode(nodeHosts, body.cache)
      const options = optionsOf(platform, body, { now: clock.now() })
      let id = ''
      scheduled.changing(() => (id = store.add({ platform, name, options })))
      return view(require(id))
    },

    /** A run that goes on keeps what it was started with. Throws AppError. */
    change(id: string, { name: given, ...body }: ChangedScheduleBody): NamedSchedule {
      const schedule = require(id)
      const { platform, options: held } = schedule
      const name = nameOf(store, given, { platform, id })
      checkNode(nodeHosts, body.cache, held)
      const options = optionsOf(platform, body, { held, now: clock.now() })
      scheduled.changing(() => store.change(schedule, name, options))
      return view(require(id))
    },

    /** Cancels its run. Games that it brought into the cache stay. Throws AppError. */
    remove(id: string): void {
      const schedule = require(id)
      if (schedule.isFirst) {
        const text = 'The first schedule of a platform stays; switch it off instead'
        throw new AppError('conflict', text)
      }
      store.remove(id)
      scheduled.noteDeleted(schedule)
    },

    /** Throws AppError `notFound`. */
    estimate: (id: string): ScheduleEstimate => estimateOf(require(id), history),
    run: (id: string): Queued => scheduled.run(require(id)),
    runAll: (): Queued => scheduled.runAll(),
  }
}
