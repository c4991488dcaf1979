import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Visitor } from '../../src/demo/visitor.ts'
import { expectTotals } from './expect-totals.ts'
import { Larder } from './larder.ts'
import { LogWriter } from './log-writer.ts'
import { referenceCount } from './reference-count.ts'
import { familyOf } from './processes.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('lab')
const logPath = join(root, 'logs')
mkdirSync(logPath)
let larder: Larder
let visitor: Visitor
let writer: LogWriter

beforeAll(async () => {
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: join(root, 'cache'),
    sources: [{ name: 'main', logPath }],
  })
  visitor = await larder.firstSignIn()
  writer = new LogWriter(join(logPath, 'access.log'), 5).start()
  await eventually(async () => (await historyState()) === 'ready', 'the history is there')
})

afterAll(() => larder.stop())

interface Status {
  isHealthy: boolean
  ingest: { state: string; outbox: { downloads: number; trafficRows: number } }
  history: { state: string; message: string | null }
}

const status = () => visitor.read<Status>('/api/ext/status')
const historyState = async () => (await status()).history.state

function postgresPid(): number {
  const pid = larder.postgresPid()
  if (pid === null) throw new Error('no Postgres runs')
  return pid
}

/** The history is refused in a way that clients can handle; the rest of the service works. */
async function expectOutage(): Promise<void> {
  await eventually(async () => (await historyState()) === 'unavailable', 'the outage is noticed')
  const { isHealthy, history, ingest } = await status()
  expect(isHealthy).toBe(false)
  expect(history.message).toBeString()
  expect(['reading', 'following']).toContain(ingest.state)
  const refused = await visitor.request('GET', '/api/stats/services')
  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ error: expect.any(String) })
  expect((await fetch(`${larder.url}/health`)).status).toBe(200)
  expect((await visitor.request('GET', '/api/Speeds/current')).status).toBe(200)
}

describe('the history database fails while lines keep coming', () => {
  test('hangs for a while', async () => {
    const pid = postgresPid()
    const all = familyOf(pid)
    const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
      for (const it of all) {
        try {
          process.kill(it, name)
        } catch {
          // A backend that has ended meanwhile.
        }
      }
    }
    signal('SIGSTOP')
    try {
      await expectOutage()
      const before = larder.committed('main')
      await eventually(
        () => !Bun.deepEquals(larder.committed('main'), before),
        'lines are still committed',
      )
    } finally {
      signal('SIGCONT')
    }
    await eventually(async () => (await historyState()) === 'ready', 'the history is back')
    expect((await visitor.request('GET', '/api/stats/services')).status).toBe(200)
  })

  test('is killed', async () => {
    const killed = postgresPid()
    process.kill(killed, 'SIGKILL')
    await eventually(() => {
      const pid = larder.postgresPid()
      return pid !== null && pid !== killed
    }, 'another one is started')
    await eventually(async () => (await historyState()) === 'ready', 'the history is back')
  })

  test('nothing is lost or counted twice', async () => {
    writer.stop()
    await expectTotals(larder, 'main', referenceCount(writer.text, 'plain'))
    await eventually(async () => {
      const { outbox } = (await status()).ingest
      return outbox.downloads === 0 && outbox.trafficRows === 0
    }, 'the outbox is empty')
    expect((await status()).isHealthy).toBe(true)
  })
})
