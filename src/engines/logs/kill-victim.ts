/** Run by the kill test as a process of its own: reads a log directory until it is at the end. */
import { openHot } from '../../../db/hot/open.ts'
import { LogIngest } from './ingest.ts'

const [dataPath = '', logPath = ''] = process.argv.slice(2)
const database = openHot(dataPath)
const source = { name: 'main', logPath, cachePath: '/c', schemeOverride: 'auto' as const }
const ingest = new LogIngest(
  database,
  {
    datasources: [source],
    ingest: { startAt: 'beginning', pollMs: 50, outboxMaxMb: 2048 },
  },
  { info: () => {}, warn: () => {} },
)
process.stdout.write('up\n')
while (await ingest.pass()) await new Promise((resolve) => setImmediate(resolve))
ingest.close()
