import { and, asc, count, eq, isNull, sql } from 'drizzle-orm'
import { savedView } from '../../../db/state/schema/views.ts'
import type { DownloadsParts } from '../parts.ts'
import type { Caller } from '../../core/caller.ts'
import { AppError, fieldErrors } from '../../core/http/errors.ts'
import type { SavedView, SavedViewBody } from './model.ts'

/** Views per account. */
export const viewsMax = 50
const nameCharsMax = 100
const queryCharsMax = 2000
const pagePattern = /^[a-z][a-z0-9-]{0,39}$/

type ViewDeps = Pick<DownloadsParts, 'state' | 'clock'>
type Owner = Pick<Caller, 'accountId'>
type Row = typeof savedView.$inferSelect

const viewOf = ({ id, name, page, query, createdAt, updatedAt }: Row): SavedView => ({
  id,
  name,
  page,
  query,
  createdAtUtc: createdAt.toISOString(),
  updatedAtUtc: updatedAt.toISOString(),
})

const ownedBy = ({ accountId }: Owner) =>
  accountId === null ? isNull(savedView.accountId) : eq(savedView.accountId, accountId)

/** Checks all fields at once; throws a field validation listing every fault. */
function wanted(body: SavedViewBody) {
  const errors: { field: string; message: string }[] = []
  const refuse = (field: string, message: string) => errors.push({ field, message })
  const name = body.name?.trim() ?? ''
  if (name === '') refuse('Name', 'The name is required')
  if (name.length > nameCharsMax) refuse('Name', `The name has at most ${nameCharsMax} characters`)
  const page = body.page?.trim() ?? ''
  if (!pagePattern.test(page)) refuse('Page', 'The page is a word as in its address')
  const query = body.query?.trim().replace(/^\?/, '') ?? ''
  if (query.length > queryCharsMax) {
    refuse('Query', `The query has at most ${queryCharsMax} characters`)
  }
  if (errors.length > 0) throw fieldErrors(errors)
  return { name, page, query }
}

const missing = () => new AppError('notFound', 'View not found')

/** Sorted by name, ignoring case. */
export const listViews = ({ state }: ViewDeps, owner: Owner): SavedView[] =>
  state.db
    .select()
    .from(savedView)
    .where(ownedBy(owner))
    .orderBy(asc(sql`${savedView.name} COLLATE NOCASE`), asc(savedView.id))
    .all()
    .map(viewOf)

/** Throws a field validation, or `conflict` when the account has too many. */
export function createView(
  { state, clock }: ViewDeps,
  owner: Owner,
  body: SavedViewBody,
): SavedView {
  const fields = wanted(body)
  const [kept] = state.db.select({ views: count() }).from(savedView).where(ownedBy(owner)).all()
  if ((kept?.views ?? 0) >= viewsMax) {
    throw new AppError('conflict', `An account has at most ${viewsMax} views: delete one first`)
  }
  const now = clock.now()
  const id = crypto.randomUUID()
  const row = { id, accountId: owner.accountId, ...fields, createdAt: now, updatedAt: now }
  state.db.insert(savedView).values(row).run()
  return viewOf(row)
}

/** Throws `notFound` also for another account's views. */
export function updateView(
  { state, clock }: ViewDeps,
  owner: Owner,
  { id, body }: { id: string; body: SavedViewBody },
): SavedView {
  const [row] = state.db
    .update(savedView)
    .set({ ...wanted(body), updatedAt: clock.now() })
    .where(and(eq(savedView.id, id), ownedBy(owner)))
    .returning()
    .all()
  if (row === undefined) throw missing()
  return viewOf(row)
}

export function deleteView({ state }: ViewDeps, owner: Owner, id: string): void {
  const rows = state.db
    .delete(savedView)
    .where(and(eq(savedView.id, id), ownedBy(owner)))
    .returning()
    .all()
  if (rows.length === 0) throw missing()
}
