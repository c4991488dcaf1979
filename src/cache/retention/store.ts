import { and, asc, count, eq, gt, isNotNull, isNull, lte } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import {
  retentionPending,
  retentionPin,
  retentionRule,
  retentionSpared,
} from '../../../db/state/schema/retention.ts'
import type { CacheState } from './rule.ts'

export type RuleRecord = typeof retentionRule.$inferSelect
export type PendingRecord = typeof retentionPending.$inferSelect
export type PinRecord = typeof retentionPin.$inferSelect

/** Rules, pins and listed games in `state.sqlite`. */
export class RetentionStore {
  readonly #db: StateDatabase['db']

  constructor({ db }: Pick<StateDatabase, 'db'>) {
    this.#db = db
  }

  /** One transaction: if `work` throws, everything is rolled back. */
  atOnce<T>(work: () => T): T {
    return this.#db.transaction(() => work())
  }

  rules(): RuleRecord[] {
    return this.#db
      .select()
      .from(retentionRule)
      .orderBy(asc(retentionRule.position), asc(retentionRule.createdAt), asc(retentionRule.id))
      .all()
  }

  rule(id: string): RuleRecord | null {
    return this.#db.select().from(retentionRule).where(eq(retentionRule.id, id)).get() ?? null
  }

  putRule(rule: RuleRecord): void {
    const { id: _id, createdAt: _createdAt, ...set } = rule
    this.#db
      .insert(retentionRule)
      .values(rule)
      .onConflictDoUpdate({ target: retentionRule.id, set })
      .run()
  }

  /** Also deletes what it listed and spared. */
  deleteRule(id: string): void {
    this.#db.delete(retentionRule).where(eq(retentionRule.id, id)).run()
  }

  pins(): PinRecord[] {
    return this.#db.select().from(retentionPin).orderBy(asc(retentionPin.name)).all()
  }

  putPin(pin: PinRecord): void {
    const { gameKey: _gameKey, ...set } = pin
    this.#db
      .insert(retentionPin)
      .values(pin)
      .onConflictDoUpdate({ target: retentionPin.gameKey, set })
      .run()
  }

  /** Pins and rules of a depot go over to its game. */
  follow(ofDepots: CacheState['ofDepots']): void {
    this.atOnce(() => {
      for (const pin of this.pins()) {
        const game = ofDepots.get(pin.gameKey)
        if (game !== undefined && this.deletePin(pin.gameKey)) this.putPin({ ...pin, ...game })
      }
      for (const rule of this.rules()) {
        const game = ofDepots.get(rule.gameKey ?? '')
        if (game !== undefined) this.putRule({ ...rule, gameKey: game.gameKey })
      }
    })
  }

  /** False when it was not pinned. */
  deletePin(gameKey: string): boolean {
    const rows = this.#db
      .delete(retentionPin)
      .where(eq(retentionPin.gameKey, gameKey))
      .returning({ gameKey: retentionPin.gameKey })
      .all()
    return rows.length > 0
  }

  /** Ordered by due time. */
  pending(): PendingRecord[] {
    return this.#db
      .select()
      .from(retentionPending)
      .orderBy(asc(retentionPending.dueAt), asc(retentionPending.gameKey))
      .all()
  }

  pendingById(id: string): PendingRecord | null {
    return this.#db.select().from(retentionPending).where(eq(retentionPending.id, id)).get() ?? null
  }

  countPending(): number {
    return this.#db.select({ n: count() }).from(retentionPending).all()[0]?.n ?? 0
  }

  /** A game is listed once, by the first rule that selects it. */
  addPending(row: PendingRecord): void {
    this.#db.insert(retentionPending).values(row).onConflictDoNothing().run()
  }

  updatePending(id: string, values: Partial<PendingRecord>): void {
    this.#db.update(retentionPending).set(values).where(eq(retentionPending.id, id)).run()
  }

  deletePending(id: string): void {
    this.#db.delete(retentionPending).where(eq(retentionPending.id, id)).run()
  }

  /** Deletes listings that have not started: of a pinned game, or of a disabled rule. */
  dropWaiting(of: { gameKey: string } | { ruleId: string }): void {
    const appliesTo =
      'gameKey' in of
        ? eq(retentionPending.gameKey, of.gameKey)
        : eq(retentionPending.ruleId, of.ruleId)
    this.#db
      .delete(retentionPending)
      .where(and(appliesTo, isNull(retentionPending.startedAt)))
      .run()
  }

  /** Not started and due by then, longest overdue first. */
  due(now: Date): PendingRecord[] {
    return this.#db
      .select()
      .from(retentionPending)
      .where(and(lte(retentionPending.dueAt, now), isNull(retentionPending.startedAt)))
      .orderBy(asc(retentionPending.dueAt), asc(retentionPending.gameKey))
      .all()
  }

  started(): PendingRecord[] {
    return this.#db
      .select()
      .from(retentionPending)
      .where(isNotNull(retentionPending.startedAt))
      .orderBy(asc(retentionPending.startedAt))
      .all()
  }

  spare(ruleId: string, gameKey: string, until: Date): void {
    this.#db
      .insert(retentionSpared)
      .values({ ruleId, gameKey, until })
      .onConflictDoUpdate({
        target: [retentionSpared.ruleId, retentionSpared.gameKey],
        set: { until },
      })
      .run()
  }

  /** Games that a rule currently spares; deletes expired entries. */
  spared(ruleId: string, now: Date): Set<string> {
    this.#db.delete(retentionSpared).where(lte(retentionSpared.until, now)).run()
    const rows = this.#db
      .select({ gameKey: retentionSpared.gameKey })
      .from(retentionSpared)
      .where(and(eq(retentionSpared.ruleId, ruleId), gt(retentionSpared.until, now)))
      .all()
    return new Set(rows.map(({ gameKey }) => gameKey))
  }
}
