/**
 * Run by tests as a process of its own: reads a log directory to its end. With `backfill` it first
 * skips everything and then reads it as a range; the last argument is a user id to switch to before
 * reading.
 */
import { openHot } from '../../../db/hot/open.ts'
import { LogIngest } from '../../../src/engines/logs/ingest.ts'
import { describeSource, movePosition } from '../../../src/engines/logs/positions.ts'

const [dataPath = '', logPath = '', mode = 'follow', userId] = process.argv.slice(2)
const database = openHot(dataPath)
if (userId !== undefined) process.setuid?.(Number(userId))
const source = { name: 'main', logPath, cachePath: '/c', schemeOverride: 'auto' as const }
const startAt = mode === 'backfill' ? ('end' as const) : ('beginning' as const)
const ingest = new LogIngest(
  database,
  { datasources: [source], ingest: { startAt, pollMs: 50, outboxMaxMb: 2048 } },
  { info: () => {}, warn: () => {} },
)
/** Reads one chunk, so that a kill comes between two commits. */
async function pass(): Promise<boolean> {
  const passed = ingest.pass()
  ingest.endBatch()
  const isMore = await passed
  process.stdout.write('committed\n')
  return isMore
}
process.stdout.write('up\n')
await pass()
if (mode === 'backfill') for (const one of ingest.sources) movePosition(ingest, one, 'beginning')
while (await pass()) await new Promise((resolve) => setImmediate(resolve))
const [read] = ingest.sources
if (read === undefined) throw new Error('no source')
const { problem, filesWithErrors } = describeSource(ingest, read)
process.stdout.write(`${[problem, ingest.state, ...filesWithErrors].join(' ')}\n`)
ingest.close()
