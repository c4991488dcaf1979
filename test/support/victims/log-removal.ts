/**
 * Run by tests as a process of its own: reads a log directory to its end, prints `up`, then removes
 * the lines of one service and prints what was refused. The last argument is a user id to switch
 * to. `KILL_AT` names a step of a replacement and which replacement it is, as in `renamed 2`: there
 * the process kills itself.
 */
import { readdirSync } from 'node:fs'
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

const { KILL_AT: killAt } = process.env
let replacement = 1
function reached(step: 'written' | 'noted' | 'renamed'): void {
  if (killAt === `${step} ${replacement}`) process.kill(process.pid, 'SIGKILL')
}
const hasNewVersion = () => readdirSync(logPath).some((name) => name.endsWith('.tmp'))
const context = {
  progress: () => {},
  isCancelled() {
    if (hasNewVersion()) reached('written')
    return false
  },
}
loop.start()
await loop.process(null, context)
process.stdout.write('up\n')

// The position of a new version is noted before the rename, and moved after it.
const { store } = loop.ingest
const [setMeta, members] = [store.setMeta.bind(store), store.members.bind(store)]
let isNoted = false
store.setMeta = (key, value) => {
  setMeta(key, value)
  if (key !== 'replacing') return
  isNoted = value !== ''
  if (isNoted) reached('noted')
  else replacement++
}
store.members = () => {
  if (isNoted) reached('renamed')
  return members()
}
const filter = { kind: 'service' as const, service }
const { refused } = await loop.removeLines({ datasource: 'main', filter }, context)
for (const { file, reason } of refused) process.stdout.write(`${file}: ${reason}\n`)
await loop.stop()
