import type { SystemParts } from '../parts.ts'
import { within } from '../../core/lib/within.ts'

/** A part that takes longer to answer counts as dead. */
const answerMs = 3000

type Part = 'state' | 'logs' | 'cache' | 'history'
type ReadinessDeps = Pick<SystemParts, 'state' | 'logs' | 'cache' | 'history'>

/** What each part says when it does its work; a rejection or a late answer means that it does not. */
const checks: Record<Part, (deps: ReadinessDeps) => boolean | Promise<boolean>> = {
  state: ({ state }) => state.sqlite.query('SELECT 1 AS one').get() !== null,
  logs: ({ logs }) => ['reading', 'following'].includes(logs.status().state),
  cache: ({ cache }) => cache.roots().then(() => true),
  history: ({ history }) => history.status().state === 'ready',
}
const parts: readonly Part[] = ['state', 'logs', 'cache', 'history']

/** Resolves to the names of the parts that do not work; callers at the same time share one look. */
export function createReadiness(deps: ReadinessDeps): () => Promise<Part[]> {
  let looking: Promise<Part[]> | null = null
  async function look(): Promise<Part[]> {
    const isAlive = await Promise.all(
      parts.map((part) =>
        within(
          Promise.try(() => checks[part](deps)),
          answerMs,
          false,
        ),
      ),
    )
    return parts.filter((_, at) => isAlive[at] !== true)
  }
  return () => (looking ??= look().finally(() => (looking = null)))
}
