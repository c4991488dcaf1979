import { asc } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { clientExclusion } from '../../../db/state/schema/clients.ts'
import type { ClientExclusionRule } from './model.ts'

const selectRules = (db: StateDatabase['db']) =>
  db
    .select({ ip: clientExclusion.ip, mode: clientExclusion.mode })
    .from(clientExclusion)
    .orderBy(asc(clientExclusion.position))
    .prepare()

/** Every section of the overview reads the rules; making the statement takes longer than running it. */
const statements = new WeakMap<StateDatabase['db'], ReturnType<typeof selectRules>>()

/** Exclusion rules in `state.sqlite`, in their original order. */
export function readExclusions({ db }: Pick<StateDatabase, 'db'>): ClientExclusionRule[] {
  const statement = statements.get(db) ?? selectRules(db)
  statements.set(db, statement)
  return statement.all()
}

/** Replaces the whole set in one transaction. */
export function writeExclusions(
  { db }: Pick<StateDatabase, 'db'>,
  rules: readonly ClientExclusionRule[],
): void {
  db.transaction((tx) => {
    tx.delete(clientExclusion).run()
    for (const [position, rule] of rules.entries()) {
      tx.insert(clientExclusion)
        .values({ ...rule, position })
        .run()
    }
  })
}
