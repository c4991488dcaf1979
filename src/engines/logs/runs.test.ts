import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import type { Database } from 'bun:sqlite'
import { appendFileSync, chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { openHot } from '../../../db/hot/open.ts'
import { firstSecond, logLine } from '../../../test/support/log-lines.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { ProcessProgress } from './contract.ts'
import { EngineLoop } from './engine-loop.ts'

let folder = ''
let database: Database
let loop: EngineLoop
/** What the loop was doing when it reported commits. */
const committedIn = new Set<string>()

const names = ['one', 'two']
const log = (name: string) => join(folder, name, 'access.log')

function begin(): void {
  database = openHot(folder)
  const datasources = names.map((name) => {
    return { name, logPath: join(folder, name), cachePath: '/c', schemeOverride: 'auto' as const }
  })
  const ingest = { startAt: 'beginning' as const, pollMs: 50, outboxMaxMb: 512 }
  const quiet = { info: () => {}, warn: () => {} }
  committedIn.clear()
  const committed = () => void committedIn.add(loop.ingest.state)
  const events = { speeds: () => {}, committed, reopenWanted: () => {} }
  loop = new EngineLoop(database, { config: { datasources, ingest }, log: quiet, events })
  loop.start()
}

async function restart(): Promise<void> {
  await loop.stop()
  database.close()
  begin()
}

/** Runs to the end; returns its reports. */
async function run(datasource: string | null, isCancelled = () => false) {
  const reports: ProcessProgress[] = []
  const progress = (report: object) => void reports.push(report as ProcessProgress)
  return { outcome: await loop.process(datasource, { isCancelled, progress }), reports }
}

const lastStatus = async (name: string) =>
  (await loop.positions()).find(({ datasource }) => datasource === name)?.lastRunTerminalStatus

const many = (count: number, first: number) =>
  Array.from({ length: count }, (_, index) => logLine({ at: firstSecond + first + index })).join('')

beforeEach(() => {
  folder = tempFolder('runs')
  for (const name of names) mkdirSync(join(folder, name))
  begin()
})

afterEach(async () => {
  await loop.stop()
  database.close()
})

test('remembers the end of a run after a restart, by datasource', async () => {
  expect(await lastStatus('one')).toBe('')
  writeFileSync(log('one'), logLine())
  expect((await run('one')).outcome.terminalStatus).toBe('completed')
  appendFileSync(log('one'), 'no request at all\n')
  const { outcome } = await run('one')
  expect(outcome).toMatchObject({ terminalStatus: 'completed_with_warnings', linesProcessed: 1 })
  expect(await lastStatus('one')).toBe('completed_with_warnings')
  expect(await lastStatus('two')).toBe('')
  await loop.stop()
  database.close()
  begin()
  expect(await lastStatus('one')).toBe('completed_with_warnings')
  appendFileSync(log('one'), logLine())
  expect((await run(null)).outcome.terminalStatus).toBe('completed')
})

test('records a cancelled run as such, and reads the rest anyway', async () => {
  await loop.stop()
  database.close()
  writeFileSync(log('one'), many(200_000, 0))
  begin()
  const { outcome } = await run('one', () => true)
  expect(outcome.terminalStatus).toBe('cancelled')
  expect(await lastStatus('one')).toBe('cancelled')
  expect((await run('one')).outcome.terminalStatus).toBe('completed')
})

test('measures one datasource by its own bytes', async () => {
  await loop.stop()
  database.close()
  writeFileSync(log('one'), many(150_000, 0))
  writeFileSync(log('two'), many(150_000, 0))
  begin()
  const { outcome, reports } = await run('two')
  expect(outcome.linesProcessed).toBeLessThanOrEqual(150_000)
  for (const report of reports) {
    expect(report.mbTotal).toBeLessThanOrEqual(many(150_000, 0).length / 1024 / 1024 + 0.1)
    expect(report.totalLines).toBeLessThanOrEqual(150_000)
  }
  expect(reports.length).toBeGreaterThan(0)
})

test('a restart inside an overlong line of a skipped range', async () => {
  const long = 'x'.repeat(20_000_000)
  writeFileSync(log('one'), `${logLine({ bytes: 1 })}${long}\n${logLine({ bytes: 2 })}`)
  await loop.stop()
  database.run('DELETE FROM log_member')
  const size = Buffer.byteLength(`${logLine({ bytes: 1 })}${long}\n${logLine({ bytes: 2 })}`)
  await restartAtEnd()
  await loop.setPosition('one', 'beginning')
  const halfway = async () => {
    const [range] = loop.ingest.tracker.skipped
    return range === undefined || range.isInsideLongLine || range.fromByte >= size
  }
  await eventually(halfway, 'the long line is half read')
  await restart()
  await run(null)
  const counted = database.query('SELECT sum(hit_bytes) AS hit FROM counter').get()
  expect(counted).toEqual({ hit: 3 })
  const [counts] = loop.ingest.store.lineCounts()
  expect(counts).toMatchObject({ parsedLines: 2, overlongLines: 1 })
})

async function restartAtEnd(): Promise<void> {
  database.close()
  database = openHot(folder)
  const one = { name: 'one', logPath: join(folder, 'one'), cachePath: '/c' }
  const datasources = [{ ...one, schemeOverride: 'auto' as const }]
  const ingest = { startAt: 'end' as const, pollMs: 50, outboxMaxMb: 512 }
  database.run('DELETE FROM meta')
  const quiet = { info: () => {}, warn: () => {} }
  const events = { speeds: () => {}, committed: () => {}, reopenWanted: () => {} }
  loop = new EngineLoop(database, { config: { datasources, ingest }, log: quiet, events })
  loop.start()
  await loop.positions()
  await eventually(() => loop.ingest.state === 'following', 'the log is followed')
}

/** Reads the log of `one` as a user without access to all of it; returns how the run ended. */
const runAsNobody = `
  const [folder, dataPath, openHot, loopFile] = process.argv.slice(-4)
  const { EngineLoop } = await import(loopFile)
  const { openHot: open } = await import(openHot)
  const database = open(dataPath)
  if (process.getuid() === 0) process.setuid(65534)
  const datasources = [
    { name: 'one', logPath: folder, cachePath: '/c', schemeOverride: 'auto', sliceBytes: null },
  ]
  const ingest = { startAt: 'beginning', pollMs: 50, outboxMaxMb: 512 }
  const quiet = { info() {}, warn() {} }
  const events = { speeds() {}, committed() {}, reopenWanted() {} }
  const loop = new EngineLoop(database, { config: { datasources, ingest }, log: quiet, events })
  loop.start()
  const outcome = await loop.process('one', { isCancelled: () => false, progress() {} })
  process.stdout.write(JSON.stringify(outcome))
  process.exit(0)
`

test('a run ends and reports a file that cannot be opened', async () => {
  chmodSync(folder, 0o755)
  writeFileSync(log('one'), many(3, 100))
  writeFileSync(`${log('one')}.1`, many(5, 0))
  chmodSync(`${log('one')}.1`, 0)
  const dataPath = join(folder, 'data')
  mkdirSync(dataPath)
  const modules = ['db/hot/open.ts', 'src/engines/logs/engine-loop.ts']
  const paths = modules.map((path) => join(import.meta.dir, '../../..', path))
  const command = [process.execPath, '-e', runAsNobody, join(folder, 'one'), dataPath, ...paths]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  expect(JSON.parse(text)).toMatchObject({ terminalStatus: 'partial', linesProcessed: 3 })
})

test('collects its garbage on the way where every line is a download', async () => {
  await run('one')
  using collected = spyOn(Bun, 'gc')
  const lines = Array.from({ length: 40_000 }, (_, index) =>
    logLine({ at: firstSecond + index, path: `/depot/${(index % 5000) + 1}/chunk/aa` }),
  )
  writeFileSync(log('one'), lines.join(''))
  expect((await run('one')).outcome.linesProcessed).toBe(40_000)
  expect(collected.mock.calls.length).toBeGreaterThanOrEqual(3)
})

test('says how much of the logs was read until their end was reached once', async () => {
  const share = () => loop.status({ lastShippedAt: null, lastError: null }).firstReadPercent
  await loop.stop()
  database.close()
  writeFileSync(log('one'), many(200_000, 0))
  begin()
  const shares: (number | null)[] = []
  while (await loop.positions().then(() => shares.at(-1) !== null)) shares.push(share())
  const known = shares.filter((one) => one !== null)
  expect(new Set(known).size).toBeGreaterThan(1)
  expect(known).toEqual(known.toSorted((a, b) => a - b))
  expect(known.every((one) => one >= 0 && one <= 100)).toBe(true)
  await restart()
  appendFileSync(log('one'), many(1000, 200_000))
  await eventually(async () => (await run('one')).outcome.linesProcessed === 0, 'all is read')
  expect(share()).toBeNull()
})

test('reports the end of a backlog, also when the last batch reads nothing', async () => {
  // More rows than a commit takes: the batch ends with the file.
  const lines = Array.from({ length: 6000 }, (_, depot) =>
    logLine({ path: `/depot/${depot}/chunk/aa` }),
  )
  writeFileSync(log('one'), lines.join(''))
  await eventually(() => loop.ingest.state === 'following', 'the end of the log')
  await eventually(() => committedIn.has('following'), 'the end is reported')
  expect(loop.ingest.total.lines).toBe(6000)
})
