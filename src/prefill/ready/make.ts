/*
 * One run fetches what is missing, a batch of games at a time: those that are due first, of one
 * platform, with one setting of `force`. It ends when the allowed hours end. While somebody wants
 * the board to be ready, or new builds are to be fetched, the next run begins by itself: when the
 * hours open, after a restart, and again after a pause when games could not be fetched. A person
 * who cancels a run takes the wish back.
 */
import type {
  OperationContext,
  OperationResult,
  OperationView,
  Queued,
} from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { PrefillParts } from '../parts.ts'
import { platformFacts, type Platform } from '../../platforms/platforms.ts'
import { limitsOf } from '../scheduled/config.ts'
import { ServiceRunner, type ServiceRun, type TakenUp } from '../scheduled/service-run.ts'
import type { Step } from '../scheduled/steps.ts'
import type { Schedule } from '../scheduled/store.ts'
import type { ScheduledService } from '../scheduled/stored.ts'
import type { SessionFeatures } from '../sessions/service.ts'
import type { Run } from '../sessions/run.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { LiveSession } from '../sessions/state.ts'
import type { ReadyCheck } from './check.ts'
import type { Hours } from './hours.ts'
import { byDue, type Judged } from './judge.ts'
import type { ReadyRow, ReadyStore } from './store.ts'

/** How often the hours and the wish are checked. */
const checkMs = 15_000
/** Before games that could not be fetched are tried again; doubled up to the longest. */
const pauseMs = { first: 5 * 60_000, longest: 60 * 60_000 }
/** After a person has cancelled a run that only fetched new builds. */
const updatesPauseMs = 12 * 3_600_000

const type = 'prefillReady'
/** Under which the history shows the games that a run fetched. */
export interface RunName {
  id: string
  name: string
}
export const runOfBoard: RunName = { id: 'ready', name: 'Ready' }

/** A game of the board with its verdict. */
export type WantedGame = Judged & { row: ReadyRow }

interface Features extends SessionFeatures {
  store: ReadyStore
  check: ReadyCheck
  hours: () => Hours
  games: () => Promise<WantedGame[]>
  changed: () => void
}

export interface Batch {
  platform: Platform
  force: boolean
  games: WantedGame[]
}

/** Not ready, and it can be fetched. */
export const isMissing = ({ state }: Pick<Judged, 'state'>): boolean =>
  state !== 'ready' && state !== 'unavailable'

/** Games that are fetched together, in the order of their times. */
export function batchesOf(games: readonly WantedGame[]): Batch[] {
  const batches = new Map<string, Batch>()
  for (const game of games.toSorted(byDue)) {
    const { platform, dueAt, row } = game
    // Its daemon would skip what it knows as downloaded.
    const force = row.isCurrent === true && game.state === 'missing'
    const key = `${dueAt?.getTime()} ${platform} ${force}`
    const batch = batches.get(key) ?? { platform, force, games: [] }
    batch.games.push(game)
    batches.set(key, batch)
  }
  return [...batches.values()]
}

/** A batch as the schedule that runs of schedules are made for. */
export function scheduleOf(
  run: RunName,
  { platform, force, games }: Batch,
  usual: ScheduledService,
): Schedule {
  const selectedAppIds = games.map(({ row }) => row.appId)
  const options = { ...usual, preset: 'All', topCount: null, selectedAppIds, force } as const
  const times = { basisAt: null, lastRunAt: null, lastResult: null }
  return { ...run, platform, isFirst: false, options, ...times }
}

/** Those of the games that a run of an earlier process fetches: its daemon keeps their ids. */
async function chosenGames<Game extends { row: ReadyRow }>(
  { session }: TakenUp,
  games: readonly Game[],
): Promise<Game[]> {
  const chosen = new Set(await session.client.selectedApps().catch(() => []))
  const isChosen = ({ row }: Game) => row.platform === session.platform && chosen.has(row.appId)
  return games.filter(isChosen)
}

/** When the run began; without one that goes on: now. */
export const beginOf = (clock: Clock, taken?: TakenUp): Date => {
  const agoMs = taken === undefined ? 0 : clock.elapsedMs() - taken.run.startedMs
  return new Date(clock.now().getTime() - agoMs)
}

interface End {
  platform: Platform
  step: Step
}

const waitsForHours = 'Begins when the allowed hours open'

function resultOf(ends: readonly End[], isClosed: boolean): OperationResult {
  const failed = ends.find(({ step }) => step.stage === 'failed')
  if (failed !== undefined) {
    const { title } = platformFacts[failed.platform]
    return { kind: 'failed', error: `${title}: ${failed.step.message}` }
  }
  const hasRun = ends.some(({ step }) => step.stage === 'completed' || step.stage === 'cancelled')
  const last = ends.at(-1)?.step
  const isStopped = isClosed && last?.stage === 'cancelled'
  const message = isStopped ? waitsForHours : (last?.message ?? 'Every game is ready')
  return { kind: hasRun || ends.length === 0 ? 'completed' : 'skipped', message }
}

/** Notes the games of a batch that were downloaded since it began. */
export function noteFetched(
  { sessions, store }: { sessions: Sessions; store: Pick<ReadyStore, 'note'> },
  { id }: RunName,
  { batch, since, now }: { batch: Batch; since: Date; now: Date },
): void {
  const sessionIds = sessions.persistentsOf(batch.platform).map((session) => session.id)
  const ended = sessions.stores.history.ofSchedule({ scheduleId: id, sessionIds, since })
  const fetched = new Map(
    ended.filter(({ status }) => status === 'Completed').map((one) => [one.appId, one]),
  )
  for (const { row } of batch.games) {
    const end = fetched.get(row.appId)
    if (end === undefined) continue
    const totalBytes = end.totalBytes > 0 ? end.totalBytes : row.totalBytes
    const none = { seenBytes: null, newBuildAt: null, problem: null }
    store.note(row, { isCurrent: true, checkedAt: now, fetchedAt: now, totalBytes, ...none })
  }
}

/** Fetches what the board is missing, while somebody wants that. */
export class ReadyMaker {
  readonly #parts: PrefillParts
  readonly #features: Features
  readonly #runner: ServiceRunner
  /** Ends the run at the end of the allowed hours. */
  #closing: AbortController | null = null
  #cancelTick = () => {}
  #isStopping = false
  #isRecovered = false
  #tries = 0
  /** In elapsed time. */
  #nextTryMs = 0
  /** Runs of an earlier process that the next operation goes on with. */
  readonly #takenUp: TakenUp[] = []

  constructor(parts: PrefillParts, features: Features) {
    this.#parts = parts
    this.#features = features
    this.#runner = new ServiceRunner({ ...parts, ...features })
  }

  start(): void {
    this.#tick()
    void this.#features.sessions.recovered.promise.then(() => {
      this.#isRecovered = true
      this.nudge()
    })
  }

  /** Runs that end from now on were not cancelled by a person. */
  stop(): void {
    this.#isStopping = true
    this.#cancelTick()
  }

  operationId(): string | null {
    return this.#current()?.id ?? null
  }

  make(): Queued {
    this.#setWanted(true)
    this.#tries = this.#nextTryMs = 0
    const queued = this.#submit()
    this.#features.changed()
    return queued
  }

  /** Takes the wish back and cancels its run. */
  cancel(): void {
    this.#setWanted(false)
    const running = this.#current()
    if (running !== null) this.#parts.operations.cancel(running.id)
    this.#features.changed()
  }

  /** Goes on with a run of the board that an earlier process started; false: it is none. */
  takeUp(session: LiveSession, run: Run): boolean {
    if (run.schedule?.id !== runOfBoard.id) return false
    this.#takenUp.push({ session, run })
    this.#submit()
    return true
  }

  #setWanted(isWanted: boolean): void {
    const { settings } = this.#parts
    settings.set('prefill.ready', { ...settings.get('prefill.ready'), isWanted })
  }

  #current() {
    const isOurs = (one: OperationView) => one.type === type && one.finishedAt === null
    return this.#parts.operations.list().find(isOurs) ?? null
  }

  #submit(): Queued {
    const { operations } = this.#parts
    const run = (context: OperationContext) => this.#run(context)
    const [{ id: continues } = {}] = operations.held(type)
    const outlives = () =>
      this.#features.sessions.isReleased(({ schedule }) => schedule?.id === runOfBoard.id)
    return operations.submit({ type, scope: 'bulk', ...named(type), continues, outlives, run })
  }

  #isOpen(): boolean {
    return this.#features.hours().isOpen(this.#parts.clock.now())
  }

  #tick(): void {
    this.#cancelTick = this.#parts.timers.after(checkMs, () => this.#tick())
    this.nudge()
  }

  /** Begins or ends a run if it is time: something has changed. */
  nudge(): void {
    const { settings, log } = this.#parts
    if (!this.#isOpen()) return this.#closing?.abort()
    const { isWanted, fetchesUpdates } = settings.get('prefill.ready')
    if (!isWanted && !fetchesUpdates) return
    this.#begin().catch((error: unknown) => log.warn({ err: error }, 'games were not made ready'))
  }

  async #begin(): Promise<void> {
    const { clock, settings } = this.#parts
    const isDue = this.#isRecovered && clock.elapsedMs() >= this.#nextTryMs
    if (!isDue || this.#current() !== null || !settings.get('setup.isCompleted')) return
    const wanted = await this.#wanted()
    const canBegin = wanted.some((game) => this.#canFetch(game)) && !this.#isStopping
    if (canBegin && this.#current() === null) this.#submit()
  }

  /** Elsewhere a person has to act first. */
  #canFetch({ platform }: WantedGame): boolean {
    return this.#features.sessions
      .persistentsOf(platform)
      .some(({ authState, run }) => authState === 'Authenticated' && run === null)
  }

  /** What a run fetches: everything that is not ready, or new builds only. */
  async #wanted(): Promise<WantedGame[]> {
    const { isWanted, fetchesUpdates } = this.#parts.settings.get('prefill.ready')
    const open = (await this.#features.games()).filter(isMissing)
    if (isWanted) return open
    return fetchesUpdates ? open.filter(({ row }) => row.newBuildAt !== null) : []
  }

  async #run(context: OperationContext): Promise<OperationResult> {
    const isOpen = this.#isOpen()
    if (!isOpen && this.#takenUp.length === 0) {
      return { kind: 'skipped', message: waitsForHours }
    }
    const closing = new AbortController()
    if (!isOpen) closing.abort()
    this.#closing = closing
    const signal = AbortSignal.any([context.signal, closing.signal])
    try {
      const ends = await this.#fetchAll(context, signal)
      const isCancelled = context.signal.aborted || this.#isStopping
      return isCancelled ? { kind: 'cancelled' } : resultOf(ends, closing.signal.aborted)
    } finally {
      this.#closing = null
      await this.#settle(context)
      this.#features.changed()
    }
  }

  async #fetchAll(context: OperationContext, signal: AbortSignal): Promise<End[]> {
    const ends: End[] = []
    for (const taken of this.#takenUp.splice(0)) {
      const games = await chosenGames(taken, await this.#features.games())
      const batch = { platform: taken.session.platform, force: false, games }
      const report = ({ message }: Step) => context.report({ message })
      ends.push(await this.#fetch(batch, { signal, report }, taken))
    }
    const batches = batchesOf(await this.#wanted())
    for (const [index, batch] of batches.entries()) {
      if (signal.aborted || this.#isStopping) break
      const report = ({ percent, message }: Step) => {
        const percentComplete = (100 * (index + percent / 100)) / batches.length
        context.report({ percentComplete, message })
      }
      ends.push(await this.#fetch(batch, { signal, report }))
      this.#features.changed()
    }
    const touched = [...new Set(ends.map(({ platform }) => platform))]
    if (!context.signal.aborted && !this.#isStopping)
      await this.#features.check.run(context, touched)
    return ends
  }

  async #fetch(
    batch: Batch,
    about: Pick<ServiceRun, 'signal' | 'report'>,
    taken?: TakenUp,
  ): Promise<End> {
    const { clock, settings, log } = this.#parts
    const { platform } = batch
    const since = beginOf(clock, taken)
    const usual = settings.get('prefill.schedule')
    const run = {
      ...about,
      schedule: scheduleOf(runOfBoard, batch, usual[platform]),
      limits: limitsOf(usual),
    }
    const step = await this.#runner.run(run, taken)
    noteFetched(this.#features, runOfBoard, { batch, since, now: clock.now() })
    const { stage, message: reason } = step
    log.info({ platform, games: batch.games.length, stage, reason }, 'games of the board')
    return { platform, step }
  }

  /** When the next run may begin, and whether the wish is fulfilled. */
  async #settle({ signal }: OperationContext): Promise<void> {
    if (this.#isStopping) return
    const nowMs = this.#parts.clock.elapsedMs()
    if (signal.aborted) {
      const { isWanted } = this.#parts.settings.get('prefill.ready')
      this.#nextTryMs = nowMs + (isWanted ? 0 : updatesPauseMs)
      return this.#setWanted(false)
    }
    const isFulfilled = (await this.#wanted()).length === 0
    if (isFulfilled) this.#setWanted(false)
    this.#tries = isFulfilled ? 0 : this.#tries + 1
    const waitMs = Math.min(pauseMs.first * 2 ** (this.#tries - 1), pauseMs.longest)
    this.#nextTryMs = nowMs + (isFulfilled ? 0 : waitMs)
  }
}
