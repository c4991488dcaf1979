/*
 * One operation fetches the games that were chosen on the shelf: platforms beside one another, the
 * games of a platform in batches of the readiness board. Games that are chosen while it runs are added
 * to it, and those that are not fetched outlive the service. What has failed stays with its reason until
 * it is chosen again or dismissed.
 */
import type { OperationContext, OperationResult, Queued } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { platformFacts, platforms, type Platform } from '../../platforms/platforms.ts'
import type { PrefillParts } from '../parts.ts'
import type { WantedGame, Batch, RunName } from '../ready/make.ts'
import { batchesOf, beginOf, noteFetched, scheduleOf } from '../ready/make.ts'
import type { ReadyRow } from '../ready/store.ts'
import { limitsOf } from '../scheduled/config.ts'
import { ServiceRunner, type ServiceRun, type TakenUp } from '../scheduled/service-run.ts'
import type { Step } from '../scheduled/steps.ts'
import type { HistoryRow } from '../sessions/history-store.ts'
import type { Run } from '../sessions/run.ts'
import type { SessionFeatures } from '../sessions/service.ts'
import type { LiveSession } from '../sessions/state.ts'
import type { ShelfRun } from './model.ts'
import { keyOf, type Picked } from './picked.ts'

const type = 'prefillShelf'
export const runOfShelf: RunName = { id: 'shelf', name: 'Shelf' }

type Shown = ShelfRun['games'][number]

interface Entry {
  row: ReadyRow
  since: Date
  /** Taken by a batch. */
  isTaken: boolean
  end: 'done' | 'failed' | null
  problem: string | null
}

interface Features extends SessionFeatures {
  picked: Picked
  /** Starts the session of a platform that needs no sign-in. */
  open: (platform: Platform) => Promise<void>
  judge: (rows: readonly ReadyRow[]) => Promise<WantedGame[]>
}

/** Fetches the games that were chosen. */
export class ShelfRunner {
  readonly #parts: PrefillParts
  readonly #features: Features
  readonly #runner: ServiceRunner
  readonly #entries = new Map<string, Entry>()
  readonly #percents = new Map<Platform, number>()
  #added = Promise.withResolvers<void>()
  /** Runs of an earlier process that the next operation goes on with. */
  readonly #takenUp: TakenUp[] = []
  #isStopping = false

  constructor(parts: PrefillParts, features: Features) {
    this.#parts = parts
    this.#features = features
    this.#runner = new ServiceRunner({ ...parts, ...features })
  }

  /** One that is being cancelled only if no other one waits for its end. */
  #current() {
    const own = this.#parts.operations.list().filter((one) => one.type === type && !one.finishedAt)
    return own.find(({ status }) => status !== 'cancelling') ?? own[0]
  }

  #isCancelling(): boolean {
    return this.#current()?.status === 'cancelling'
  }

  /** Adds games to the run, or starts one. */
  begin(rows: readonly ReadyRow[]): Queued {
    const since = this.#parts.clock.now()
    if (this.#current() === undefined || this.#isCancelling()) this.#entries.clear()
    for (const row of rows) {
      const known = this.#entries.get(keyOf(row))
      if (known !== undefined && known.end === null) continue
      this.#entries.set(keyOf(row), { row, since, isTaken: false, end: null, problem: null })
    }
    this.#keep()
    this.#added.resolve()
    return this.#submit()
  }

  start(): void {
    this.#parts.operations.onChange(() => {
      const open = [...this.#entries].filter(([, { end }]) => end === null)
      if (open.length === 0 || this.#current() !== undefined) return
      // What was cancelled is chosen again if it is wanted.
      for (const [key] of open) this.#entries.delete(key)
      this.#keep()
    })
  }

  /** Goes on with the games that an earlier process has left, after its runs were taken up. */
  settle(): void {
    if (this.#isCancelling()) return this.#keep()
    const left = this.#parts.settings.get('prefill.shelf')
    if (left.length > 0) this.begin(this.#features.picked.rowsOf(left))
  }

  /** Runs that end from now on were not cancelled by a person. */
  stop(): void {
    this.#isStopping = true
  }

  #keep(): void {
    if (this.#isStopping) return
    const open = [...this.#entries.values()].filter(({ end }) => end === null)
    const games = open.map(({ row: { platform, appId, name } }) => ({ platform, appId, name }))
    this.#parts.settings.set('prefill.shelf', games)
  }

  /** Goes on with a run of the shelf that an earlier process started; false: it is none. */
  takeUp(session: LiveSession, run: Run): boolean {
    if (run.schedule?.id !== runOfShelf.id) return false
    this.#takenUp.push({ session, run })
    this.#submit()
    return true
  }

  #submit(): Queued {
    const { operations } = this.#parts
    const run = (context: OperationContext) => this.#run(context)
    const [{ id: continues } = {}] = operations.held(type)
    const outlives = () =>
      this.#features.sessions.isReleased(({ schedule }) => schedule?.id === runOfShelf.id)
    return operations.submit({ type, scope: 'bulk', ...named(type), continues, outlives, run })
  }

  /** Cancels the run; without one, forgets what has ended. */
  clear(): void {
    const running = this.#current()
    if (running === undefined) this.#forgetEnded()
    else this.#parts.operations.cancel(running.id)
  }

  #forgetEnded(): void {
    for (const [key, { end }] of this.#entries) if (end !== null) this.#entries.delete(key)
  }

  #open(platform?: Platform): Entry[] {
    const isOpen = ({ row, isTaken }: Entry) =>
      !isTaken && (platform === undefined || row.platform === platform)
    return [...this.#entries.values()].filter(isOpen)
  }

  async #run(context: OperationContext): Promise<OperationResult> {
    const { signal } = context
    const active = new Map<Platform, Promise<void>>()
    const cancelled = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => cancelled.resolve(), { once: true })
    const begin = (platform: Platform, work: Promise<void>) =>
      active.set(
        platform,
        work.finally(() => active.delete(platform)),
      )
    try {
      for (const taken of this.#takenUp.splice(0)) {
        begin(taken.session.platform, this.#goOn(taken, context))
      }
      while (!signal.aborted && !this.#isStopping) {
        this.#added = Promise.withResolvers()
        for (const platform of new Set(this.#open().map(({ row }) => row.platform))) {
          if (!active.has(platform)) begin(platform, this.#drain(platform, context))
        }
        if (active.size === 0) break
        await Promise.race([...active.values(), this.#added.promise, cancelled.promise])
      }
      await Promise.all(active.values())
    } finally {
      this.#percents.clear()
    }
    return signal.aborted || this.#isStopping ? { kind: 'cancelled' } : this.#result()
  }

  #result(): OperationResult {
    const ended = [...this.#entries.values()]
    const [failed] = ended.filter(({ end }) => end === 'failed')
    if (failed === undefined || ended.some(({ end }) => end === 'done'))
      return { kind: 'completed' }
    const { title } = platformFacts[failed.row.platform]
    return { kind: 'failed', error: `${title}: ${failed.problem}` }
  }

  /** Fetches everything of a platform that was chosen until now, and meanwhile. */
  async #drain(platform: Platform, context: OperationContext): Promise<void> {
    await this.#features.open(platform)
    for (;;) {
      const entries = this.#open(platform)
      if (entries.length === 0 || context.signal.aborted || this.#isStopping) return
      for (const entry of entries) entry.isTaken = true
      const games = await this.#features.judge(entries.map(({ row }) => row))
      for (const batch of batchesOf(games)) {
        if (!context.signal.aborted && !this.#isStopping) await this.#fetch(batch, context)
      }
    }
  }

  async #goOn(taken: TakenUp, context: OperationContext): Promise<void> {
    const { platform } = taken.session
    const since = beginOf(this.#parts.clock, taken)
    const rows = await this.#features.picked.selected(taken.session)
    for (const row of rows) {
      const entry = { row, since, isTaken: true, end: null, problem: null }
      this.#entries.set(keyOf(row), entry)
    }
    const games = await this.#features.judge(rows)
    await this.#fetch({ platform, force: false, games }, context, taken)
  }

  async #fetch(batch: Batch, { signal, report }: OperationContext, taken?: TakenUp): Promise<void> {
    const { clock, settings, log } = this.#parts
    const { platform } = batch
    const since = beginOf(clock, taken)
    const usual = settings.get('prefill.schedule')
    const run: ServiceRun = {
      schedule: scheduleOf(runOfShelf, batch, usual[platform]),
      limits: limitsOf(usual),
      signal,
      report: ({ percent, message }) => {
        this.#percents.set(platform, percent)
        report({ percentComplete: this.#percent(), message })
      },
    }
    const step = await this.#runner.run(run, taken)
    const now = clock.now()
    noteFetched({ ...this.#features, store: this.#features.picked }, runOfShelf, {
      batch,
      since,
      now,
    })
    this.#end(batch, step)
    const { stage, message: reason } = step
    log.info({ platform, games: batch.games.length, stage, reason }, 'games of the shelf')
  }

  /** Of all platforms that fetch at the moment, by their games. */
  #percent(): number {
    const all = [...this.#entries.values()]
    const shares = all.map(({ row, end }) =>
      end === null ? this.#percents.get(row.platform) : 100,
    )
    return shares.reduce<number>((sum, share) => sum + (share ?? 0), 0) / Math.max(all.length, 1)
  }

  #end({ platform, games }: Batch, { stage, message }: Step): void {
    const ended = this.#historyOf(platform)
    for (const { row } of games) {
      const entry = this.#entries.get(keyOf(row))
      if (entry?.isTaken !== true) continue
      const last = ended.get(row.appId)
      const isDone = last?.status === 'Completed' || last?.status === 'Cached'
      if (stage === 'cancelled' && !isDone) this.#entries.delete(keyOf(row))
      else {
        entry.end = isDone || (last === undefined && stage === 'completed') ? 'done' : 'failed'
        entry.problem = isDone ? null : (last?.errorMessage ?? message)
      }
    }
    this.#keep()
  }

  /** What the runs of a platform have done since its games were chosen, by app. */
  #historyOf(platform: Platform): ReadonlyMap<string, HistoryRow> {
    const { sessions } = this.#features
    const own = [...this.#entries.values()].filter(({ row }) => row.platform === platform)
    if (own.length === 0) return new Map()
    const since = new Date(Math.min(...own.map((entry) => entry.since.getTime())))
    const sessionIds = sessions.persistentsOf(platform).map(({ id }) => id)
    const wanted = { scheduleId: runOfShelf.id, sessionIds, since }
    const rows = sessions.stores.history.ofSchedule(wanted)
    return new Map(rows.map((row) => [row.appId, row]))
  }

  #shown(entry: Entry, history: ReadonlyMap<string, HistoryRow>): Shown {
    const { platform, appId, name, totalBytes } = entry.row
    const last = entry.isTaken ? history.get(appId) : undefined
    const open = this.#features.sessions
      .persistentsOf(platform)
      .flatMap(({ run }) => (run?.schedule?.id === runOfShelf.id ? (run.open ?? []) : []))
      .find((one) => one.appId === appId)
    const known = { platform, appId, name, problem: entry.problem }
    const bytes = open?.bytes ?? last?.bytesDownloaded ?? 0
    const whole = open?.totalBytes || last?.totalBytes || totalBytes || 0
    return { ...known, state: shownState(entry, last, open), bytes, totalBytes: whole }
  }

  view(): ShelfRun {
    const histories = new Map(platforms.map((one) => [one, this.#historyOf(one)] as const))
    const none: ReadonlyMap<string, HistoryRow> = new Map()
    return {
      operationId: this.#current()?.id ?? null,
      games: [...this.#entries.values()].map((entry) =>
        this.#shown(entry, histories.get(entry.row.platform) ?? none),
      ),
    }
  }
}

function shownState(
  { end }: Entry,
  last: HistoryRow | undefined,
  open: object | undefined,
): Shown['state'] {
  if (end !== null) return end
  if (open !== undefined) return 'fetching'
  if (last?.status === 'Completed' || last?.status === 'Cached') return 'done'
  return last?.status === 'Failed' ? 'failed' : 'queued'
}
