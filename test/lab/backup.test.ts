import { Database } from 'bun:sqlite'
import { beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { expectTotals } from './expect-totals.ts'
import { labAccount, Larder } from './larder.ts'
import { LogWriter } from './log-writer.ts'
import { referenceCount, type CountTable } from './reference-count.ts'

const root = tempFolder('backup')
const logPath = join(root, 'logs')
const dataPath = join(root, 'data')
const options = { dataPath, cachePath: join(root, 'cache'), sources: [{ name: 'main', logPath }] }
const timeoutMs = 120_000

let larder: Larder
let visitor: Visitor
let expected: CountTable
let snapshot = ''

beforeAll(async () => {
  mkdirSync(logPath)
  mkdirSync(options.cachePath)
  writeLines(11)
  larder = await Larder.start(options)
  visitor = await larder.firstSignIn()
  await expectTotals(larder, 'main', expected, timeoutMs)
}, timeoutMs)

/** Some thousand lines more; `expected` follows. */
function writeLines(seed: number): void {
  const writer = new LogWriter(join(logPath, 'access.log'), seed)
  while (writer.lineCount < 5000) writer.writeSome()
  writer.stop()
  expected = referenceCount(readFileSync(join(logPath, 'access.log'), 'utf8'), 'plain')
}

async function restarted(): Promise<void> {
  larder = await Larder.start(options)
  await signedInAndReady()
}

async function signedInAndReady(): Promise<void> {
  visitor = new Visitor(larder.url)
  await visitor.signIn(installationKey(dataPath), labAccount)
  const isReady = async () =>
    (await visitor.read<{ history: { state: string } }>('/api/ext/status')).history.state ===
    'ready'
  await eventually(isReady, 'the history is there', timeoutMs)
}

function isResetPending(): boolean {
  using state = new Database(join(dataPath, 'state.sqlite'), { readonly: true })
  state.run('PRAGMA busy_timeout = 10000')
  const query = "SELECT value FROM setting WHERE key = 'database.pendingReset' AND value <> 'null'"
  return state.query(query).get() !== null
}

const snapshots = () =>
  readdirSync(join(dataPath, 'backups')).filter((name) => name.endsWith('.zst'))

async function expectContinuous(): Promise<void> {
  await expectTotals(larder, 'main', expected, timeoutMs)
  const status = await visitor.read<{ ingest: { mismatch: unknown } }>('/api/ext/status')
  expect(status.ingest.mismatch).toBeNull()
}

test(
  'a service that was killed while it made a snapshot makes the next one',
  async () => {
    await visitor.write('POST', '/api/ext/backups')
    await larder.kill()
    await restarted()
    const kept = readdirSync(join(dataPath, 'backups'))
    expect(kept.filter((name) => !name.endsWith('.zst'))).toEqual(['last-update.json'])
    const before = snapshots()
    await visitor.write('POST', '/api/ext/backups')
    await eventually(() => snapshots().length > before.length, 'the snapshot is made', timeoutMs)
    snapshot = snapshots().find((name) => !before.includes(name)) ?? ''
    await expectContinuous()
  },
  timeoutMs,
)

test(
  'a service that was killed during a restore completes it, and counts the lines since',
  async () => {
    writeLines(12)
    await expectTotals(larder, 'main', expected, timeoutMs)
    await visitor.write('POST', `/api/ext/backups/${snapshot}/restore`)
    const begun = () => larder.output.includes('restoring a snapshot')
    await eventually(begun, 'the service has restarted itself', timeoutMs)
    await larder.kill()
    await restarted()
    expect(larder.output).toContain('the snapshot was restored')
    expect(existsSync(join(dataPath, 'restore'))).toBe(false)
    const { lastRestore } = await visitor.read<{ lastRestore: { problem: string | null } }>(
      '/api/ext/backups',
    )
    expect(lastRestore.problem).toBeNull()
    await expectContinuous()
  },
  timeoutMs,
)

test(
  'a service that was killed during a reset ends up with everything counted once',
  async () => {
    await visitor.write('DELETE', '/api/database')
    await larder.kill()
    larder = await Larder.start(options)
    await eventually(() => !isResetPending(), 'the reset is completed', timeoutMs)
    // Only now, because the reset ends all sessions.
    await signedInAndReady()
    await expectContinuous()
    expect(await larder.stop()).toBe(0)
  },
  timeoutMs,
)

test(
  'the command restores into an empty folder, and refuses to replace data unasked',
  async () => {
    const elsewhere = join(root, 'elsewhere')
    const run = async (path: string, ...more: string[]) => {
      const child = Bun.spawn(
        [
          process.execPath,
          join(import.meta.dir, '../../tools/restore.ts'),
          join(dataPath, 'backups', snapshot),
          ...more,
        ],
        {
          env: { PATH: process.env['PATH'] ?? '', DATA_PATH: path },
          stdout: 'pipe',
          stderr: 'pipe',
        },
      )
      const [status, output, errors] = await Promise.all([
        child.exited,
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      return { status, text: output + errors }
    }
    expect(await run(dataPath)).toMatchObject({
      status: 1,
      text: expect.stringContaining('--replace'),
    })
    const done = await run(elsewhere)
    expect(done.text).toContain('was restored')
    expect(done.status).toBe(0)
    expect(await run(elsewhere)).toMatchObject({ status: 1 })
    larder = await Larder.start({ ...options, dataPath: elsewhere })
    const guest = new Visitor(larder.url)
    await guest.signIn(installationKey(elsewhere), labAccount)
    await expectTotals(larder, 'main', expected, timeoutMs)
    expect(await larder.stop()).toBe(0)
  },
  timeoutMs,
)
