/*
 * `prefill/ready` is one board per installation: games, and the moment at which they are to be in
 * the cache in their current version. `check.ts` asks the daemons, `judge.ts` decides what that
 * means, `make.ts` fetches. The check is a schedule; a game that was current and no longer is has a
 * new build.
 */
import { AppError } from '../../core/http/errors.ts'
import { instantOf } from '../../core/lib/instant.ts'
import type { ReadyNews } from '../../core/lib/ready-news.ts'
import type { OperationContext, OperationResult, Queued } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import type { PrefillParts } from '../parts.ts'
import { platformFacts, platforms, type Platform } from '../../platforms/platforms.ts'
import type { Run } from '../sessions/run.ts'
import type { SessionFeatures } from '../sessions/service.ts'
import type { LiveSession } from '../sessions/state.ts'
import { ReadyCheck } from './check.ts'
import { createHours } from './hours.ts'
import { byDue, seenBytesOf } from './judge.ts'
import { isMissing, ReadyMaker, runOfBoard } from './make.ts'
import { gamesMax, type BoardBody, type GamesBody } from './model.ts'
import type { ReadyBoard, ReadyGame, Suggestions } from './model.ts'
import { createReading, type ReadGame, type Reading } from './reading.ts'
import { createReadyStore, type ReadyStore } from './store.ts'
import { suggestionsOf } from './suggestions.ts'
import { isSameGame } from './titles.ts'

const checkType = 'prefillReadyCheck'
const checkHours = 1
const dayMs = 86_400_000
/** A client that downloaded a game in this time will want its next build. */
const usedDays = 60

/** Throws AppError `invalid`. */
function dateOf(text: string | null): Date | null {
  if (text === null) return null
  const date = instantOf(text)
  if (date !== null) return date
  throw new AppError('invalid', 'dueAtUtc: must be an ISO-8601 time such as 2026-11-27T18:00:00Z')
}

const iso = (date: Date | null): string | null => date?.toISOString() ?? null

function hintOf(platform: Platform): string {
  const { title, needsLogin } = platformFacts[platform]
  const act = needsLogin ? 'Sign in' : 'Start it'
  return `No running persistent session for ${title}. ${act} on the page Platform accounts.`
}

const gameView = ({ row, sight, state, missingBytes }: ReadGame): ReadyGame => ({
  platform: row.platform,
  appId: row.appId,
  name: row.name,
  dueAtUtc: iso(row.dueAt),
  state,
  onDiskBytes: sight.onDiskBytes,
  totalBytes: row.totalBytes,
  missingBytes,
  clients: row.clients,
  newBuildAtUtc: iso(row.newBuildAt),
  checkedAtUtc: iso(row.checkedAt),
  problem: sight.hasSession ? (row.unavailable ?? row.problem) : hintOf(row.platform),
})

/** Games that are to be ready at a time. */
export class ReadinessBoard {
  readonly #parts: PrefillParts
  readonly #features: SessionFeatures
  readonly #store: ReadyStore
  readonly #reading: Reading
  readonly #check: ReadyCheck
  readonly #maker: ReadyMaker
  readonly #listeners: ((news: ReadyNews) => void)[] = []
  /** Games were added while a check was running. */
  #isCheckStale = false

  constructor(parts: PrefillParts, features: SessionFeatures) {
    const store = createReadyStore(parts.state)
    const hours = () => this.#hours()
    const reading = createReading(parts, { ...features, store, hours, runId: runOfBoard.id })
    this.#parts = parts
    this.#features = features
    this.#store = store
    this.#reading = reading
    this.#check = new ReadyCheck(parts, { ...features, store })
    this.#maker = new ReadyMaker(parts, {
      ...features,
      store,
      hours,
      check: this.#check,
      games: () => reading.games(),
      changed: () => void this.#tell(),
    })
  }

  start(): void {
    this.#parts.schedules.register({
      serviceKey: checkType,
      intervalHours: checkHours,
      runOnStartup: false,
      card: { notificationMode: 'manual', operationType: checkType },
      run: (_trigger, { isSilent }) =>
        this.#store.list().length === 0 ? undefined : this.#startCheck(isSilent),
    })
    this.#features.sessions.onRuns(() => this.#changed())
    this.#maker.start()
  }

  stop(): void {
    this.#maker.stop()
  }

  /** Goes on with a run of the board that an earlier process started; false: it is none. */
  takeUp(session: LiveSession, run: Run): boolean {
    return this.#maker.takeUp(session, run)
  }

  onNews(listener: (news: ReadyNews) => void): void {
    this.#listeners.push(listener)
  }

  #settings() {
    return this.#parts.settings.get('prefill.ready')
  }

  #hours() {
    return createHours(this.#settings().hours, this.#parts.config.timeZone)
  }

  #usedSince(): Date {
    return new Date(this.#parts.clock.now().getTime() - usedDays * dayMs)
  }

  #changed(): void {
    this.#parts.hub.publish('PrefillReadyChanged', { isWanted: this.#settings().isWanted })
  }

  /** Tells pages and notifications what has changed. Does not reject. */
  async #tell(): Promise<void> {
    this.#changed()
    try {
      const news = await this.#news()
      for (const listener of this.#listeners) listener(news)
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'the readiness of games could not be read')
    }
  }

  async #news(): Promise<ReadyNews> {
    const { games, verdict, readyAt } = await this.#reading.board()
    const missing = new Set(games.filter(isMissing).map(({ platform }) => platform))
    const closed = [...missing].filter((platform) => !this.#reading.canAsk(platform))
    const builds = games.flatMap(({ row }) => {
      const { platform, appId, name, newBuildAt: at, totalBytes: bytes, clients } = row
      return at === null ? [] : [{ id: `${platform} ${appId}`, name, at, bytes, clients }]
    })
    return {
      verdict,
      games: games.length,
      dueAt: games.toSorted(byDue)[0]?.dueAt ?? null,
      readyAt,
      signedOut: closed.map((platform) => platformFacts[platform].title),
      builds,
    }
  }

  #startCheck(isSilent: boolean): Queued {
    return this.#parts.operations.submit({
      type: checkType,
      scope: 'bulk',
      ...named('prefillReadyCheck'),
      isSilent,
      run: (context) => this.#runCheck(context),
    })
  }

  async #runCheck(context: OperationContext): Promise<OperationResult> {
    this.#changed()
    do {
      this.#isCheckStale = false
      await this.#check.run(context)
      await this.#noteUse()
    } while (this.#isCheckStale && !context.signal.aborted)
    await this.#tell()
    this.#maker.nudge()
    return context.signal.aborted ? { kind: 'cancelled' } : { kind: 'completed' }
  }

  /** How many clients used each game lately, and how much of it the cache has. */
  async #noteUse(): Promise<void> {
    const { gameFacts, log } = this.#parts
    const used = await gameFacts.usedSince(this.#usedSince()).catch((error: unknown) => {
      log.debug({ err: error }, 'the clients of games are not known')
      return null
    })
    for (const { row, sight } of await this.#reading.games()) {
      const seenBytes = seenBytesOf(row, sight)
      const clients = used?.find((game) => isSameGame(row, game))?.clients ?? 0
      this.#store.note(row, { seenBytes, ...(used !== null && { clients }) })
    }
  }

  async view(): Promise<ReadyBoard> {
    const { games, now, readyAt, ...sums } = await this.#reading.board()
    const { hours, fetchesUpdates, isWanted, dueAt } = this.#settings()
    const due = dateOf(dueAt)
    const checked = games.flatMap(({ row }) => row.checkedAt?.getTime() ?? [])
    return {
      dueAtUtc: iso(due),
      hours,
      timeZoneId: this.#parts.config.timeZone,
      fetchesUpdates,
      isWanted,
      games: games.map(gameView),
      ...sums,
      allowedSeconds: due === null ? null : this.#hours().secondsBetween(now, due),
      readyAtUtc: iso(readyAt),
      operationId: this.#maker.operationId(),
      isChecking: this.#parts.operations.active(checkType) !== null,
      checkedAtUtc: checked.length === 0 ? null : new Date(Math.min(...checked)).toISOString(),
    }
  }

  /** The games of the board, and those that the running sessions have listed. */
  async known() {
    const board = (await this.#reading.games()).map(({ row, state }) => ({
      platform: row.platform,
      appId: row.appId,
      name: row.name,
      state: state === 'ready' || state === 'fetching' ? state : ('onBoard' as const),
      totalBytes: row.totalBytes,
    }))
    const isOn = new Set(board.map(({ platform, appId }) => `${platform} ${appId}`))
    const listed = platforms.flatMap((platform) =>
      this.#features.sessions
        .persistentsOf(platform)
        .flatMap(({ games }) => [...(games?.names ?? [])])
        .filter(([appId]) => !isOn.has(`${platform} ${appId}`))
        .map(([appId, name]) => ({
          platform,
          appId,
          name,
          state: 'open' as const,
          totalBytes: null,
        })),
    )
    return [...board, ...listed]
  }

  /** Rejects with HistoryUnavailable. */
  suggestions(eventId?: number): Promise<Suggestions> {
    return suggestionsOf(this.#parts, this.#features, this.#usedSince(), eventId)
  }

  check(): Queued {
    return this.#startCheck(false)
  }

  make(): Queued {
    return this.#maker.make()
  }

  /** Takes the wish back, and cancels the run. */
  cancel(): void {
    this.#maker.cancel()
  }

  /** Changes the given members. Throws AppError `invalid`. */
  change({ dueAtUtc, ...body }: BoardBody): Promise<ReadyBoard> {
    if (body.hours != null && body.hours.start === body.hours.end) {
      throw new AppError('invalid', 'hours: start and end must differ')
    }
    const due = dueAtUtc === undefined ? {} : { dueAt: iso(dateOf(dueAtUtc)) }
    this.#parts.settings.set('prefill.ready', { ...this.#settings(), ...body, ...due })
    void this.#tell()
    this.#maker.nudge()
    return this.view()
  }

  /** Throws AppError: `invalid`, or `conflict` for too many games. */
  add({ games }: GamesBody): Promise<ReadyBoard> {
    const known = this.#store.list()
    const addedAt = this.#parts.clock.now()
    const rows = games.map(({ platform, appId, name, dueAtUtc }) => {
      const held = known.find((row) => row.platform === platform && row.appId === appId)
      const dueAt = dueAtUtc === undefined ? (held?.dueAt ?? null) : dateOf(dueAtUtc)
      return { platform, appId, name, dueAt, addedAt }
    })
    const ids = new Set([...known, ...rows].map(({ platform, appId }) => `${platform} ${appId}`))
    if (ids.size > gamesMax) {
      throw new AppError('conflict', `The board has at most ${gamesMax} games`)
    }
    this.#store.put(rows)
    this.#isCheckStale = this.#startCheck(true).alreadyRunning
    return this.view()
  }

  /** Its files stay in the cache. Throws AppError `notFound`. */
  remove(platform: Platform, appId: string): void {
    if (!this.#store.remove({ platform, appId })) {
      throw new AppError('notFound', 'The game is not on the board')
    }
    void this.#tell()
  }
}
