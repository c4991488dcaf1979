import { cacheSession, openSession } from '../../../src/engines/cache/index/session.ts'
import { removeFiles } from '../../../src/engines/cache/removal/removal.ts'
import { walkRoot } from '../../../src/engines/cache/index/walk-run.ts'

/**
 * Started by a test under a system call tracer: `walk` reads a tree into an index, `remove` removes
 * one of its titles and prints the outcome, as another user if one is given.
 */
const [step, dataPath = '', cachePath = '', titleKey = '', user] = process.argv.slice(2)
await openSession(dataPath).configure([
  { datasource: 'default', path: cachePath, scheme: 'monolithic', sliceBytes: 1_048_576 },
])
const session = cacheSession()
const root = session.rootOf('default')
if (root === null) throw new Error('no tree')
if (step === 'walk') {
  const outcome = await walkRoot(session, root, {
    depth: 'directories',
    accept: false,
    isCancelled: () => false,
    onSlice() {},
  })
  process.stdout.write(JSON.stringify(outcome))
} else {
  const row = session.store.database
    .query<{ id: number }, [string]>('SELECT id FROM cache_content WHERE title_key = ?')
    .get(titleKey)
  if (row === null) throw new Error('no such title')
  // Program and index are open by now; the rest needs permissions only in the cache.
  if (user !== undefined) process.setuid?.(Number(user))
  const startMs = performance.now()
  const outcome = await removeFiles(
    session,
    {
      selection: { kind: 'contents', contentIds: [row.id] },
      removesEmptyFolders: false,
      networkDatasources: [],
    },
    { progress() {}, isCancelled: () => false },
  )
  process.stdout.write(
    JSON.stringify({ ...outcome, durationMs: Math.round(performance.now() - startMs) }),
  )
}
