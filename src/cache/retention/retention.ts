import type { CacheParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import type { OperationView } from '../../core/operations/contract.ts'
import type { World } from './rule.ts'
import { askRules } from './preview.ts'
import { select } from './select.ts'
import { RetentionStore, type PendingRecord } from './store.ts'
import { removableFiles, removeByKey, type GameRemover } from './target.ts'
import { readWorld } from './world.ts'

/** Games that wait to be removed at the same time. */
export const pendingMax = 1000
/** Removals begun in one go; the next look begins more. */
const startsMax = 20
/** A removal that failed is tried again after this long. */
const retryMs = 3_600_000
const hourMs = 3_600_000
const dayMs = 86_400_000
const askHours = 24
/** How often is looked for what is due. */
const lookHours = 1 / 12

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const isOver = ({ status }: OperationView): boolean =>
  ['completed', 'failed', 'cancelled', 'skipped'].includes(status)

/** Asks the rules once a day and removes what they listed when its time has come. */
export class Retention {
  readonly store: RetentionStore
  readonly #deps: CacheParts
  readonly #remover: GameRemover
  #last: Promise<unknown> = Promise.resolve()

  constructor(deps: CacheParts, remover: GameRemover) {
    this.#deps = deps
    this.#remover = remover
    this.store = new RetentionStore(deps.state)
    // A process that ended took its operations with it.
    for (const { id } of this.store.started()) this.store.updatePending(id, { operationId: null })
  }

  /** Runs by the clock from now on. */
  start(): void {
    const { schedules, operations, history, log } = this.#deps
    const look = () =>
      void this.removeDue().catch((error: unknown) => {
        log.error({ err: error }, 'what is due to leave the cache was not removed')
      })
    schedules.register({
      serviceKey: 'retention',
      intervalHours: askHours,
      runOnStartup: false,
      run: async () => void (await this.ask()),
    })
    schedules.register({
      serviceKey: 'retentionDue',
      intervalHours: lookHours,
      runOnStartup: true,
      run: () => this.removeDue(),
    })
    history.onStatus(({ state }) => {
      if (state === 'ready' && this.store.countPending() > 0) look()
    })
    operations.onChange(() => {
      if (this.store.countPending() > 0) this.settle()
    })
  }

  /** Asks all rules that are switched on and lists what they mean. Answers how many games are new. */
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
          log.warn({ rule: rule.name, reason: abstains.text }, 'a rule said nothing')
        for (const { game, why, state } of verdicts) {
          if (state !== 'leaves' || this.store.countPending() >= pendingMax) continue
          const { key: gameKey, name: gameName, service, files, bytes } = game
          const facts = { gameKey, gameName, service, files, bytes, reason: why, listedAt, dueAt }
          const blank = { startedAt: null, operationId: null, problem: null }
          this.store.addPending({ id: crypto.randomUUID(), ruleId: rule.id, ...facts, ...blank })
          log.info(
            { rule: rule.name, game: gameName, bytes, dueAt },
            'a game is to leave the cache',
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
   * Removes what is due, if its rule still means it; goes on with what a restart interrupted. What
   * cannot be told at the moment (index or history away) waits.
   */
  removeDue(): Promise<void> {
    return this.#inTurn(async () => {
      this.settle()
      const rows = [
        ...this.store.started().filter(({ operationId }) => operationId === null),
        ...this.store.due(this.#deps.clock.now()),
      ]
      if (rows.length === 0) return
      const world = await readWorld(this.#deps)
      if ('text' in world) return
      let starts = 0
      for (const row of rows) {
        if (starts >= startsMax) break
        const judged = this.#judge(row, world)
        if (judged === 'waits') continue
        if (judged === 'dropped') {
          this.store.deletePending(row.id)
          this.#announce()
        } else if (await this.#begin(row)) starts++
      }
    })
  }

  /** Removes a listed game at once. Throws `notFound`, `conflict`, and what the removal refuses. */
  async now(id: string): Promise<string> {
    return this.#inTurn(async () => {
      const row = this.pendingById(id)
      if (row.startedAt !== null) throw new AppError('conflict', 'It is being removed already')
      if (this.store.pins().some(({ gameKey }) => gameKey === row.gameKey)) {
        throw new AppError('conflict', 'The game is pinned')
      }
      return this.#start(row)
    })
  }

  /** Takes a listed game back; its rule leaves it alone for a while. Throws `notFound`, `conflict`. */
  cancel(id: string): { until: Date } {
    const { clock, settings, log } = this.#deps
    const row = this.pendingById(id)
    if (row.startedAt !== null) {
      throw new AppError('conflict', 'It is being removed; cancel the operation', {
        extra: { operationId: row.operationId },
      })
    }
    const until = new Date(clock.now().getTime() + settings.get('retention.sparedDays') * dayMs)
    this.store.atOnce(() => {
      this.store.spare(row.ruleId, row.gameKey, until)
      this.store.deletePending(id)
    })
    log.info({ game: row.gameName, until }, 'a game stays in the cache')
    this.#announce()
    return { until }
  }

  pendingById(id: string): PendingRecord {
    const row = this.store.pendingById(id)
    if (row === null) throw new AppError('notFound', 'It does not wait to be removed')
    return row
  }

  /** Looks what became of removals that were begun. */
  settle(): void {
    const { operations, clock, log } = this.#deps
    for (const row of this.store.started()) {
      if (row.operationId === null) continue
      const operation = operations.find(row.operationId)
      // Forgotten by the history of operations: looked at like one that was interrupted.
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

  /** Whether a listed game still is to go. */
  #judge(row: PendingRecord, world: World): 'goes' | 'waits' | 'dropped' {
    const { store } = this
    const game = world.games.find(({ key }) => key === row.gameKey)
    if (game === undefined) {
      // Gone by itself, unless what it lay in cannot be seen at the moment.
      return Object.keys(world.silent).length > 0 ? 'waits' : 'dropped'
    }
    if (game.datasources.some((name) => name in world.silent)) return 'waits'
    const pinned = new Set(store.pins().map(({ gameKey }) => gameKey))
    if (row.startedAt !== null) {
      // Interrupted: the rest goes too, unless somebody has been fetching it since.
      const isStoredSince = game.lastStoredAt * 1000 >= row.startedAt.getTime()
      return pinned.has(row.gameKey) || isStoredSince ? 'dropped' : 'goes'
    }
    const rule = store.rule(row.ruleId)
    if (rule === null || !rule.isEnabled) return 'dropped'
    const leaving = new Set(store.started().map(({ gameKey }) => gameKey))
    const spared = store.spared(rule.id, this.#deps.clock.now())
    const { abstains, verdicts } = select(rule, world, { pinned, spared, leaving })
    if (abstains !== null) return 'waits'
    const verdict = verdicts.find(({ game: { key } }) => key === row.gameKey)
    return verdict?.state === 'leaves' ? 'goes' : 'dropped'
  }

  /** False: it could not begin, and waits. */
  async #begin(row: PendingRecord): Promise<boolean> {
    try {
      if ((await removableFiles(this.#remover, row.gameKey)) === 0) {
        // All that is left is needed by other games: asking again every day would be in vain.
        if (row.startedAt === null) this.cancel(row.id)
        else this.store.deletePending(row.id)
        return false
      }
      await this.#start(row)
      return true
    } catch (error) {
      this.store.updatePending(row.id, { problem: textOf(error) })
      this.#deps.log.warn({ game: row.gameName, reason: textOf(error) }, 'a removal did not begin')
      return false
    }
  }

  /** Notes that it begins before it does, so that a restart goes on with it. */
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

  /** One after the other, so that nothing is begun twice. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work)
    this.#last = next.catch(() => {})
    return next
  }
}
