import { cacheSession, openSession } from '../../../src/engines/cache/index/session.ts'
import { beginStructural } from '../../../src/engines/cache/corruption/structural-scan.ts'
import { walkRoot } from '../../../src/engines/cache/index/walk-run.ts'

/** Started by a test: begins a scan and dies midway, as in a power failure. */
const [dataPath = '', cachePath = '', fileCount = '1'] = process.argv.slice(2)
await openSession(dataPath).configure([
  { datasource: 'default', path: cachePath, scheme: 'monolithic', sliceBytes: 1000 },
])
const session = cacheSession()
beginStructural(session, { datasource: 'default', mode: 'full', nowMs: Date.now() })
const root = session.rootOf('default')
if (root === null) throw new Error('no tree')
await walkRoot(session, root, {
  depth: 'headers',
  accept: false,
  isCancelled: () => false,
  onSlice(state) {
    if (state.filesSeen >= Number(fileCount)) process.kill(process.pid, 'SIGKILL')
  },
})
