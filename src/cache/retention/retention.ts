/*
 * A rule that is not sure does nothing. While the history is away it is not known which depots are
 * one game, what is pinned and what was used: every rule abstains. So do rules about a cache whose
 * index is empty, failed or collapsed. A game was last used when a client last downloaded it or
 * when its newest file was stored, whichever is later; prefill is not use. A rule for one
 * datasource skips games that also lie in others, because a game is removed everywhere.
 *
 * Listed games are judged again when their grace period ends. Games that were used or pinned
 * meanwhile stay. The start of a removal is recorded before it begins: after a crash it continues,
 * unless something of the game was stored since.
 */
import pLimit from 'p-limit'
import type { CacheParts } from '../parts.ts'
import { gameKey } from '../../catalogue/contract.ts'
import { AppError, orNotFound, staged } from '../../core/http/errors.ts'
import type { OperationView } from '../../core/operations/contract.ts'
import { readDetected } from '../detection/read.ts'
import type { CacheState } from './rule.ts'
import { askRules } from './preview.ts'
import { select } from './select.ts'
import { RetentionStore, type PendingRecord } from './store.ts'
import { removableFiles, removeByKey, type GameRemover } from './target.ts'
import { readCacheState } from './cache-state.ts'
import { errorText } from '../../core/lib/error-text.ts'

/** Games listed for removal at the same time. */
export const pendingMax = 1000
/** Removals started per run; the next run starts more. */
const startsMax = 20
/** Delay before a failed removal is retried. */
const retryMs = 3_600_000
const hourMs = 3_600_000
const dayMs = 86_400_000
const askHours = 24
/** Interval between checks for due removals. */
const dueCheckHours = 1 / 12

const isOver = ({ status }: OperationView): boolean =>
  ['completed', 'failed', 'cancelled', 'skipped'].includes(status)

/** Evaluates the rules once a day and removes listed games when they are due. */
export class Retention {
  readonly store: RetentionStore
  readonly #deps: CacheParts
  readonly #remover: GameRemover
  /** One after another, so that nothing is started twice. */
  readonly #inTurn = pLimit(1)

  constructor(deps: CacheParts, remover: GameRemover) {
    this.#deps = deps
    this.#remover = remover
    this.store = new RetentionStore(deps.state)
    // A process that ended lost its operations.
    for (const { id } of this.store.started()) this.store.updatePending(id, { operationId: null })
  }

  /** Starts the schedule. */
  start(): void {
    const { schedules, operations, history, log } = this.#deps
    const removeDueNow = () =>
      void this.removeDue().catch((error: unknown) => {
        log.error({ err: error }, 'could not remove the games that are due')
      })
    schedules.register({
      serviceKey: 'retention',
      intervalHours: askHours,
      runOnStartup: false,
      run: async () => void (await this.ask()),
    })
    schedules.register({
      serviceKey: 'retentionDue',
      intervalHours: dueCheckHours,
      runOnStartup: true,
      run: () => this.removeDue(),
    })
    history.onStatus(({ state }) => {
      if (state === 'ready' && this.store.countPending() > 0) removeDueNow()
    })
    operations.onChange(() => {
      if (this.store.countPending() > 0) this.settle()
    })
  }

  /** Evaluates all enabled rules and lists the matching games. Returns how many are new. */
  ask(): Promise<{ listed: number; abstained: number }> {
    return this.#inTurn(async () => {
      const { settings, clock, log } = this.#deps
      const rules = this.store.rules().filter(({ isEnabled }) => isEnabled)
      if (rules.length === 0) return { listed: 0, abstained: 0 }
      const { selections } = await askRules(this.#deps, this.store, rules)
      const listedAt = clock.now()
      const dueAt = new Date(listedAt.getTime() + settings.get('retention.undoHours') * hourMs)
      let listed = 0
      for (const { rule, abstains, verdicts } of selections) {
        if (abstains !== null)
          log.warn({ rule: rule.name, reason: abstains.text }, 'a retention rule was skipped')
        for (const { game, why, state } of verdicts) {
          if (state !== 'leaves' || this.store.countPending() >= pendingMax) continue
          const { key: gameKey, name: gameName, service, files, bytes } = game
          const facts = { gameKey, gameName, service, files, bytes, reason: why, listedAt, dueAt }
          const blank = { startedAt: null, operationId: null, problem: null }
          this.store.addPending({ id: crypto.randomUUID(), ruleId: rule.id, ...facts, ...blank })
          log.info(
            { rule: rule.name, game: gameName, bytes, dueAt },
            'a game is scheduled for removal',
          )
          listed++
        }
      }
      if (listed > 0) this.#announce()
      const abstained = selections.filter(({ abstains }) => abstains !== null).length
      return { listed, abstained }
    })
  }

  /**
   * Removes due games if their rule still matches; resumes those that a restart interrupted. What
   * cannot be judged now (index or history away) waits.
   */
  removeDue(): Promise<void> {
    return this.#inTurn(async () => {
      this.settle()
      const rows = [
        ...this.store.started().filter(({ operationId }) => operationId === null),
        ...this.store.due(this.#deps.clock.now()),
      ]
      if (rows.length === 0) return
      const cache = await readCacheState(this.#deps)
      if ('text' in cache) return
      let starts = 0
      for (const row of rows) {
        if (starts >= startsMax) break
        const judged = this.#judge(row, cache)
        if (judged === 'waits') continue
        if (judged === 'dropped') {
          this.store.deletePending(row.id)
          this.#announce()
        } else if (await this.#begin(row)) starts++
      }
    })
  }

  /**
   * Removes a listed game immediately. Throws `notFound`, `conflict`, and the removal's own errors.
   */
  async now(id: string): Promise<string> {
    return this.#inTurn(async () => {
      const listed = this.pendingById(id)
      if (listed.startedAt !== null)
        throw new AppError('conflict', 'The game is already being removed')
      const row = await this.#renamed(listed)
      if (this.store.pins().some(({ gameKey }) => gameKey === row.gameKey)) {
        throw new AppError('conflict', 'The game is pinned')
      }
      return this.#start(row)
    })
  }

  /**
   * The row under its game's present key, if that was a depot whose game is known by now. Throws
   * `conflict` if the game has more than was listed.
   */
  async #renamed(row: PendingRecord): Promise<PendingRecord> {
    const { games } = await readDetected(this.#deps, { hasDetails: false })
    const found =
      games.find(({ identity }) => gameKey(identity) === row.gameKey) ??
      games.find(({ depotIds }) => depotIds.some((depot) => `alpha:${depot}` === row.gameKey))
    if (found === undefined || found.identity.kind === 'service') return row
    const { identity, files, bytes } = found
    const name = identity.name
    const facts = { gameKey: gameKey(identity), gameName: name, files, bytes }
    if (facts.gameKey === row.gameKey) return row
    const isListed = this.store.pending().some((other) => other.gameKey === facts.gameKey)
    if (isListed) this.store.deletePending(row.id)
    else this.store.updatePending(row.id, facts)
    this.#announce()
    if (!isListed && bytes <= row.bytes) return { ...row, ...facts }
    const former = row.gameName
    const text = `${former} is part of ${name} now, which has more in the cache`
    throw new AppError('conflict', text, staged('errors.retention.partOf', { former, name }))
  }

  /** Takes a game off the list; its rule spares it for a while. Throws `notFound`, `conflict`. */
  cancel(id: string): { until: Date } {
    const { clock, settings, log } = this.#deps
    const row = this.pendingById(id)
    if (row.startedAt !== null) {
      throw new AppError('conflict', 'The game is already being removed; cancel that operation', {
        extra: { operationId: row.operationId },
      })
    }
    const until = new Date(clock.now().getTime() + settings.get('retention.sparedDays') * dayMs)
    this.store.atOnce(() => {
      this.store.spare(row.ruleId, row.gameKey, until)
      this.store.deletePending(id)
    })
    log.info({ game: row.gameName, until }, 'a game is kept in the cache')
    this.#announce()
    return { until }
  }

  pendingById(id: string): PendingRecord {
    return orNotFound(this.store.pendingById(id), 'The game is not waiting to be removed')
  }

  /** Checks the outcome of started removals. */
  settle(): void {
    const { operations, clock, log } = this.#deps
    for (const row of this.store.started()) {
      if (row.operationId === null) continue
      const operation = operations.find(row.operationId)
      // No longer in the operation history: treated like an interrupted one.
      if (operation === null) this.store.updatePending(row.id, { operationId: null })
      if (operation === null || !isOver(operation)) continue
      const { status, error } = operation
      if (status === 'completed') {
        this.store.deletePending(row.id)
        log.info({ game: row.gameName, reason: row.reason }, 'a rule removed a game')
      } else if (status === 'cancelled') {
        this.store.updatePending(row.id, { startedAt: null, operationId: null })
        this.cancel(row.id)
      } else {
        const dueAt = new Date(clock.now().getTime() + retryMs)
        const problem = error ?? 'The removal failed'
        this.store.updatePending(row.id, { startedAt: null, operationId: null, dueAt, problem })
        log.warn({ game: row.gameName, problem }, 'a rule could not remove a game')
      }
      this.#announce()
    }
  }

  changed(): void {
    this.#announce()
  }

  /** Whether a listed game is still to be removed. */
  #judge(row: PendingRecord, cache: CacheState): 'goes' | 'waits' | 'dropped' {
    const { store } = this
    const game = cache.games.find(({ key }) => key === row.gameKey)
    if (game === undefined) {
      // Already gone, unless its cache cannot be read at the moment.
      return Object.keys(cache.silent).length > 0 ? 'waits' : 'dropped'
    }
    if (game.datasources.some((name) => name in cache.silent)) return 'waits'
    const pinned = new Set(store.pins().map(({ gameKey }) => gameKey))
    if (row.startedAt !== null) {
      // Interrupted: the rest is removed too, unless a client has fetched it since.
      const isStoredSince = game.lastStoredAt * 1000 >= row.startedAt.getTime()
      return pinned.has(row.gameKey) || isStoredSince ? 'dropped' : 'goes'
    }
    const rule = store.rule(row.ruleId)
    if (rule === null || !rule.isEnabled) return 'dropped'
    const leaving = new Set(store.started().map(({ gameKey }) => gameKey))
    const spared = store.spared(rule.id, this.#deps.clock.now())
    const { abstains, verdicts } = select(rule, cache, { pinned, spared, leaving })
    if (abstains !== null) return 'waits'
    const verdict = verdicts.find(({ game: { key } }) => key === row.gameKey)
    return verdict?.state === 'leaves' ? 'goes' : 'dropped'
  }

  /** False when it could not start and keeps waiting. */
  async #begin(row: PendingRecord): Promise<boolean> {
    try {
      if ((await removableFiles(this.#remover, row.gameKey)) === 0) {
        // Other games need everything that is left: evaluating it again every day would be
        // pointless.
        if (row.startedAt === null) this.cancel(row.id)
        else this.store.deletePending(row.id)
        return false
      }
      await this.#start(row)
      return true
    } catch (error) {
      this.store.updatePending(row.id, { problem: errorText(error) })
      this.#deps.log.warn(
        { game: row.gameName, reason: errorText(error) },
        'a removal did not start',
      )
      return false
    }
  }

  /** Recorded before it starts, so that it resumes after a restart. */
  async #start(row: PendingRecord): Promise<string> {
    const startedAt = row.startedAt ?? this.#deps.clock.now()
    this.store.updatePending(row.id, { startedAt, problem: null })
    try {
      const { operationId } = await removeByKey(this.#remover, row.gameKey)
      this.store.updatePending(row.id, { operationId })
      this.#announce()
      return operationId
    } catch (error) {
      this.store.updatePending(row.id, { startedAt: row.startedAt })
      throw error
    }
  }

  #announce(): void {
    this.#deps.hub.publish('RetentionUpdated', { pending: this.store.countPending() })
  }
}
