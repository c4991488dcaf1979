/**
 * Run by tests as a process of its own: reads a log directory to its end, prints `up`, then removes
 * the lines of one service and prints what was refused. The last argument is a user id to switch
 * to.
 */
import { openHot } from '../../../db/hot/open.ts'
import { EngineLoop } from '../../../src/engines/logs/engine-loop.ts'

const [dataPath = '', logPath = '', service = '', userId] = process.argv.slice(2)
const source = { name: 'main', logPath, cachePath: '/c', schemeOverride: 'auto' as const }
const ingest = { startAt: 'beginning' as const, pollMs: 50, outboxMaxMb: 2048 }
const nothing = { speeds: () => {}, committed: () => {}, reopenWanted: () => {} }
const quiet = { info: () => {}, warn: () => {} }
const config = { datasources: [source], ingest }
const database = openHot(dataPath)
if (userId !== undefined) process.setuid?.(Number(userId))
const loop = new EngineLoop(database, { config, log: quiet, events: nothing })
const context = { progress: () => {}, isCancelled: () => false }
loop.start()
await loop.process(null, context)
process.stdout.write('up\n')
const filter = { kind: 'service' as const, service }
const { refused } = await loop.removeLines({ datasource: 'main', filter }, context)
for (const { file, reason } of refused) process.stdout.write(`${file}: ${reason}\n`)
await loop.stop()
