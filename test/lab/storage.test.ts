import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachelogLine } from '../../src/demo/log-formats.ts'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { testServer } from '../support/postgres.ts'
import { labAccount, Larder } from './larder.ts'
import { referenceCount } from './reference-count.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('lab')
const logPath = join(root, 'logs')
const sources = [{ name: 'main', logPath }]
const cachePath = join(root, 'cache')

/** Every line has another client: rows, not bytes, fill a database. */
function manyClients(count: number): string {
  let text = ''
  for (let index = 0; index < count; index++) {
    text += `${cachelogLine({
      at: 1_795_211_569 + index,
      tag: 'steam',
      client: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
      forwardedFor: '-',
      method: 'GET',
      target: `/depot/${index % 900}/chunk/${index}`,
      status: 200,
      bytes: 1000 + index,
      userAgent: 'Valve/Steam HTTP Client 1.0',
      cacheStatus: 'MISS',
      host: 'lancache.steamcontent.com',
      range: '-',
    })}\n`
  }
  return text
}

beforeAll(() => mkdirSync(logPath))

interface Status {
  ingest: { state: string; message: string | null }
  history: { state: string; message: string | null }
}

describe('an external history with a wrong password', () => {
  let server: Record<string, string>

  beforeAll(async () => {
    const { admin, target } = await testServer()
    const { host, port, user, password } = target('elsewhere')
    await admin`create database elsewhere owner ${admin(user)}`
    server = {
      POSTGRES_MODE: 'external',
      POSTGRES_HOST: host,
      POSTGRES_PORT: String(port),
      POSTGRES_DB: 'elsewhere',
      POSTGRES_USER: user,
      POSTGRES_PASSWORD: password,
    }
  })

  test('is reported clearly, and nothing is lost until it is corrected', async () => {
    const text = manyClients(8000)
    writeFileSync(join(logPath, 'access.log'), text)
    const options = { dataPath: join(root, 'guest'), cachePath, sources }
    const wrong = { ...server, POSTGRES_PASSWORD: 'not-the-password' }
    const refused = await Larder.start({ ...options, environment: wrong })
    const visitor = await refused.firstSignIn()
    const status = () => visitor.read<Status>('/api/ext/status')
    await eventually(async () => (await status()).history.state === 'unavailable', 'the refusal')
    expect((await status()).history.message).toMatch(/password/i)
    expect((await status()).history.message).not.toContain('not-the-password')
    const answer = await visitor.request('GET', '/api/stats/services')
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    const expected = referenceCount(text, 'plain')
    await eventually(() => Bun.deepEquals(refused.committed('main'), expected), 'the import')
    expect(await refused.stop()).toBe(0)

    const accepted = await Larder.start({ ...options, environment: server })
    const again = new Visitor(accepted.url)
    await again.signIn(installationKey(options.dataPath), labAccount)
    const sum = Object.values(expected).reduce((bytes, it) => bytes + it.missBytes, 0)
    await eventually(async () => {
      const response = await again.request('GET', '/api/stats/dashboard')
      if (response.status !== 200) return false
      const { totalAddedToCache } = (await response.json()) as { totalAddedToCache: number }
      return totalAddedToCache === sum
    }, 'the history has everything')
    expect(await accepted.stop()).toBe(0)
  })
})

/** Mounts a small disk. Null without the permission to mount. */
function mountSmallDisk(path: string, size: string): (() => void) | null {
  mkdirSync(path, { recursive: true })
  const { exitCode } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${size}`, 'lab', path])
  return exitCode === 0 ? () => void Bun.spawnSync(['umount', '-l', path]) : null
}

describe('a full disk', () => {
  const dataPath = join(root, 'small')
  const unmount = mountSmallDisk(dataPath, '6m')
  afterAll(() => unmount?.())

  // Mounting a disk requires root; elsewhere this case cannot be set up.
  if (unmount === null) return
  test('stops reading, reports it, and continues when there is space again', async () => {
    const away = { POSTGRES_MODE: 'external', POSTGRES_HOST: '127.0.0.1', POSTGRES_PORT: '1' }
    const environment = { ...away, POSTGRES_PASSWORD: 'unused-password' }
    const text = manyClients(40_000)
    const fullLogs = join(root, 'full-logs')
    mkdirSync(fullLogs)
    const fullSources = [{ name: 'main', logPath: fullLogs }]
    const larder = await Larder.start({ dataPath, cachePath, sources: fullSources, environment })
    const visitor = await larder.firstSignIn()
    writeFileSync(join(fullLogs, 'access.log'), text)
    const ingest = async () => (await visitor.read<Status>('/api/ext/status')).ingest
    await eventually(async () => (await ingest()).state === 'storage_failed', 'the full disk')
    expect((await ingest()).message).toMatch(/disk|space|full/i)
    expect(larder.isRunning).toBe(true)
    const remount = ['mount', '-o', 'remount,size=256m', dataPath]
    expect(Bun.spawnSync(remount).exitCode).toBe(0)
    const expected = referenceCount(text, 'plain')
    await eventually(() => Bun.deepEquals(larder.committed('main'), expected), 'the import')
    expect(await larder.stop()).toBe(0)
  })
})
