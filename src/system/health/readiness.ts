import type { SystemParts } from '../parts.ts'
import { within } from '../../core/lib/within.ts'

/** A part that takes longer to answer counts as failed. */
const answerMs = 3000

type Part = 'state' | 'logs' | 'cache' | 'history'
type ReadinessDeps = Pick<SystemParts, 'state' | 'logs' | 'cache' | 'history'>

/** Whether each part works; a rejection or a late answer counts as failure. */
const checks: Record<Part, (deps: ReadinessDeps) => boolean | Promise<boolean>> = {
  state: ({ state }) => state.sqlite.query('SELECT 1 AS one').get() !== null,
  logs: ({ logs }) => ['reading', 'following', 'awaiting_setup'].includes(logs.status().state),
  cache: ({ cache }) => cache.roots().then(() => true),
  history: ({ history }) => history.status().state === 'ready',
}
const parts: readonly Part[] = ['state', 'logs', 'cache', 'history']

/** Resolves to the names of failed parts; concurrent callers share one check. */
export function createReadiness(deps: ReadinessDeps): () => Promise<Part[]> {
  let checking: Promise<Part[]> | null = null
  async function check(): Promise<Part[]> {
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
  return () => (checking ??= check().finally(() => (checking = null)))
}
