import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachelogLine } from '../../src/demo/log-formats.ts'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { DebianPostgres } from './debian-postgres.ts'
import { createWire, LabNode } from './lab-node.ts'
import { labAccount, Larder } from './larder.ts'
import { LogWriter } from './log-writer.ts'
import { referenceCount } from './reference-count.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('lab')
const log = join(root, 'logs', 'access.log')
let server: DebianPostgres
let larder: Larder
let visitor: Visitor

function lines(start: number, count: number): string {
  let text = ''
  for (let index = start; index < start + count; index++) {
    text += `${cachelogLine({
      at: Math.floor(Date.now() / 1000) - 3600 + index,
      tag: 'steam',
      client: '192.168.9.1',
      forwardedFor: '-',
      method: 'GET',
      target: `/depot/441/chunk/${index}`,
      status: 200,
      bytes: 1000,
      userAgent: 'Valve/Steam HTTP Client 1.0',
      cacheStatus: 'HIT',
      host: 'lancache.steamcontent.com',
      range: '-',
    })}\n`
  }
  return text
}

interface Status {
  history: { mode: string; state: string; message: string | null }
}

const status = () => visitor.read<Status>('/api/ext/status')
const saved = async () =>
  (await visitor.read<{ totalBandwidthSaved: number }>('/api/stats/dashboard')).totalBandwidthSaved

const external = (password: string) => ({
  POSTGRES_MODE: 'external',
  POSTGRES_HOST: '127.0.0.1',
  POSTGRES_PORT: String(server.port),
  POSTGRES_PASSWORD: password,
})

const start = (password: string) =>
  Larder.start({
    dataPath: join(root, 'data'),
    cachePath: join(root, 'cache'),
    sources: [{ name: 'default', logPath: join(root, 'logs') }],
    environment: external(password),
  })

async function restart(password: string): Promise<void> {
  await larder.stop()
  larder = await start(password)
  visitor = new Visitor(larder.url)
  await visitor.signIn(installationKey(larder.dataPath), labAccount)
}

beforeAll(async () => {
  mkdirSync(join(root, 'logs'))
  mkdirSync(join(root, 'cache'))
  writeFileSync(log, lines(0, 100))
  server = await DebianPostgres.create()
  larder = await start(server.password)
  visitor = await larder.firstSignIn()
})

afterAll(async () => {
  await larder.stop()
  server.stop()
})

describe('an external Postgres of the distribution', () => {
  test('receives the history', async () => {
    await eventually(async () => (await status()).history.state === 'ready', 'ready')
    await eventually(async () => (await saved()) === 100_000, 'all bytes are in the history')
    expect((await status()).history.mode).toBe('external')
  })

  test('may stop and come back; nothing is lost or counted twice', async () => {
    server.stop()
    const isAway = async () => (await status()).history.state === 'unavailable'
    await eventually(isAway, 'the outage is noticed')
    // A cached response may be served for two more seconds.
    let answer = await visitor.request('GET', '/api/stats/dashboard')
    await eventually(async () => {
      answer = await visitor.request('GET', '/api/stats/dashboard')
      return answer.status === 503
    }, 'reports say that the history is away')
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
    appendFileSync(log, lines(100, 50))
    await eventually(
      () => larder.committed('default')['steam 192.168.9.1']?.requests === 150,
      'reading goes on',
    )
    server.start()
    await eventually(
      async () => (await status()).history.state === 'ready' && (await saved()) === 150_000,
      'the rows that waited arrive',
    )
  })

  test('reports a wrong password without showing it; reading continues', async () => {
    await restart('not-the-Password-26')
    await eventually(async () => (await status()).history.state === 'unavailable', 'refused')
    const { message } = (await status()).history
    expect(message).toMatch(/password|authentication/i)
    appendFileSync(log, lines(150, 50))
    await eventually(
      () => larder.committed('default')['steam 192.168.9.1']?.requests === 200,
      'reading goes on',
    )
    expect(message).not.toContain('not-the-Password-26')
    expect(larder.output).not.toContain('not-the-Password-26')
  })

  test('receives rows of a node, which is killed meanwhile, from the node itself', async () => {
    await restart(server.password)
    const invited = await visitor.request('POST', '/api/ext/nodes', { name: 'attic' })
    const { token } = (await invited.json()) as { token: string }
    const wire = createWire(Number(new URL(larder.url).port))
    const node = await LabNode.start({
      root: join(root, 'attic'),
      name: 'attic',
      serviceUrl: wire.url,
      token,
      environment: external(server.password),
    })
    const { port, password } = server
    const target = { host: '127.0.0.1', port, database: 'larder', user: 'larder', password }
    const shipped = () => larder.shipped('attic', target)
    const writer = new LogWriter(join(node.proxy.plainLogs, 'access.log'), 5).start()
    await eventually(async () => Object.keys(await shipped()).length > 0, 'the first rows arrive')
    // The way to the service is not the way of the rows.
    wire.cut()
    await node.kill()
    const before = writer.lineCount
    await eventually(() => writer.lineCount > before + 1000, 'the log grows')
    node.start()
    writer.stop()
    const expected = referenceCount(writer.text, 'plain')
    const isSame = async () => Bun.deepEquals(await shipped(), expected)
    // The comparison below shows the difference, which a timeout cannot.
    await eventually(isSame, 'all of it is in the history').catch(() => {})
    expect(await shipped()).toEqual(expected)
    await node.kill()
  })
})
