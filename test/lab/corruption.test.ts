import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { cacheFilePath, sliceKey } from '../../src/demo/cache-generator.ts'
import type { Visitor } from '../../src/demo/visitor.ts'
import { Larder } from './larder.ts'
import { startOrigin } from './origin.ts'
import { alphaHeaders, download, startProxy, storeTwoVersions, type Proxy } from './proxy.ts'
import { eventually } from '../support/eventually.ts'
import { diskFolder } from '../support/in-memory.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('lab', diskFolder)
const objectBytes = 3_000_000
const whole = `/size/${objectBytes}/whole`
const mixed = `/changing/${objectBytes}/mixed`
let proxy: Proxy
let larder: Larder
let visitor: Visitor

interface Started {
  operationId: string
}
interface Cached {
  scanId: string
  corruptionCounts: Record<string, number>
  totalCorruptedChunks: number
  coverage: { consistent: number } | null
}
interface Candidate {
  candidateId: string
  exactPaths: string[]
  evidence: { kind: string; issues: string[]; disagreement: object | null; cacheSlice: object }
}

beforeAll(async () => {
  const origin = startOrigin()
  proxy = await startProxy(root, '1m', undefined, origin)
  await get(whole)
  await storeTwoVersions(origin, fileOf(mixed, 1), () => get(mixed))
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: proxy.cachePath,
    sources: [{ name: 'default', logPath: proxy.plainLogs }],
    environment: { DOCKER_HOST: 'unix:///nowhere/engine.sock' },
  })
  visitor = await larder.firstSignIn()
})
afterAll(async () => {
  await larder.stop()
  await proxy.stop()
})

const get = (path: string) => download({ port: proxy.port, path, headers: alphaHeaders })
const fileOf = (path: string, slice: number) =>
  join(proxy.cachePath, cacheFilePath(sliceKey('steam', path, slice)))

/** The next scan skips files younger than ten minutes. */
function age(paths = files()): void {
  for (const path of paths) utimesSync(path, Date.now() / 1000 - 3600, Date.now() / 1000 - 3600)
}

const files = () =>
  readdirSync(proxy.cachePath, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()

const listing = () =>
  files().map((path) => {
    const { size, mtimeMs, ctimeMs } = statSync(path)
    return { path, size, mtimeMs, ctimeMs }
  })

/** Starts an operation and waits for its end. */
async function finished(method: string, path: string): Promise<void> {
  const response = await visitor.request(method, path)
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  // Responses of our own service.
  const { operationId } = JSON.parse(text) as Started
  const ended = async () => {
    const view = await visitor.read<{ status: string; error: string | null }>(
      `/api/operations/${operationId}`,
    )
    if (view.status === 'failed') throw new Error(`${view.error}\n${larder.output.slice(-4000)}`)
    return view.status === 'completed'
  }
  await eventually(ended, `${method} ${path} ends`)
}

const cached = (method: string) =>
  visitor.read<Cached>(`/api/cache/corruption/cached?detectionMethod=${method}`)
const found = (scanId: string) =>
  visitor.read<Candidate[]>(`/api/cache/services/steam/corruption?scanId=${scanId}`)

describe('corrupted files', () => {
  test('are found while nginx serves, without writing to the cache', async () => {
    truncateSync(fileOf(whole, 1), statSync(fileOf(whole, 1)).size - 1000)
    age()
    const before = listing()
    const scan = finished('POST', '/api/cache/corruption/detect?detectionMethod=structural')
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(mixed)))
    await scan
    expect(answers.every(({ status, bytes }) => status === 200 && bytes === objectBytes)).toBe(true)
    expect(listing()).toEqual(before)
    const result = await cached('structural')
    expect(result).toMatchObject({ corruptionCounts: { steam: 3 }, coverage: { consistent: 5 } })
    const candidates = await found(result.scanId)
    const byPath = Object.fromEntries(
      candidates.map(({ exactPaths, evidence }) => [exactPaths[0] ?? '', evidence]),
    )
    expect(byPath[fileOf(whole, 1)]?.issues).toEqual(['content_range_length_mismatch'])
    // Two slices of the old version, and one of the current one, which stays.
    for (const slice of [0, 2]) {
      expect(byPath[fileOf(mixed, slice)]).toMatchObject({
        issues: ['slice_disagreement'],
        disagreement: {
          fields: ['etag'],
          own: { etag: '"lab-1"', totalLength: objectBytes },
          siblings: expect.arrayContaining([
            expect.objectContaining({ etag: '"lab-2"', slices: 1, sliceStart: 1_048_576 }),
          ]),
        },
      })
    }
  })

  test('are removed and downloaded again', async () => {
    const { scanId } = await cached('structural')
    const asked = proxy.originRequests()
    await finished('DELETE', `/api/cache/services/steam/corruption?scanId=${scanId}`)
    expect(files()).not.toContain(fileOf(whole, 1))
    expect([0, 1, 2].map((slice) => existsSync(fileOf(mixed, slice)))).toEqual([false, true, false])
    expect(await cached('structural')).toMatchObject({ scanId, totalCorruptedChunks: 0 })
    expect(await get(whole)).toEqual({ status: 200, bytes: objectBytes })
    expect(await get(mixed)).toEqual({ status: 200, bytes: objectBytes })
    expect(proxy.originRequests()).toBe(asked + 3)
    age()
    await finished(
      'POST',
      '/api/cache/corruption/detect?detectionMethod=structural&scanMode=incremental',
    )
    expect((await cached('structural')).totalCorruptedChunks).toBe(0)
  })
})

describe('repeatedly missed files', () => {
  const path = '/size/5000/unusable'
  const lines = (of: string) =>
    readFileSync(join(proxy.plainLogs, 'access.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes(of))
  const statuses = (of: string) => lines(of).map((line) => /"(MISS|HIT)"/.exec(line)?.[1])
  const logged = (of: string, count: number) =>
    eventually(() => lines(of).length === count, `nginx logs all requests for ${of}`)
  const ranged = (of: string, range: string) =>
    download({ port: proxy.port, path: of, headers: { ...alphaHeaders, range: `bytes=${range}` } })
  const agents = ['a', 'b', 'c', 'd', 'e', 'f'].map(
    (name) => `${alphaHeaders['user-agent']} ${name}`,
  )
  const getAs = (agent: string, of: string) =>
    download({ port: proxy.port, path: of, headers: { ...alphaHeaders, 'user-agent': agent } })
  const remove = async (file: string) => {
    await eventually(() => existsSync(file), 'nginx stores the slice')
    rmSync(file)
  }
  const scan = async () => {
    await finished('POST', '/api/cache/corruption/detect?threshold=3&lookbackDays=1')
    return await cached('repeated_miss')
  }

  test('are not those that a proxy stores anew each time, or in variants', async () => {
    const lost = '/size/5000/lost'
    for (let round = 0; round < 3; round++) {
      if (round > 0) await remove(fileOf(lost, 0))
      await get(lost)
    }
    const first = `/size/${objectBytes}/first`
    for (let round = 0; round < 4; round++) {
      if (round > 0) await remove(fileOf(first, 0))
      await get(first)
    }
    const growing = `/size/${5 * 1_048_576}/growing`
    const ranges = ['3145728-3145800', '2097152-3145800', '1048576-3145800', '0-3145800']
    for (const range of ranges) await ranged(growing, range)
    const varying = '/size/5000/varying?vary'
    for (const agent of agents.slice(0, 3)) await getAs(agent, varying)
    await logged(varying, 3)
    await logged(lost, 3)
    age([fileOf(lost, 0), fileOf(varying.replace('?vary', ''), 0)])
    await get(lost)
    for (const agent of agents.slice(3)) await getAs(agent, varying)
    await logged(varying, 6)
    await logged(lost, 4)
    for (const of of [first, growing]) await logged(of, 4)
    expect(statuses(lost)).toEqual(['MISS', 'MISS', 'MISS', 'HIT'])
    for (const of of [first, growing, varying]) {
      expect(statuses(of)).toEqual(lines(of).map(() => 'MISS'))
    }
    expect((await scan()).corruptionCounts).toEqual({})
  })

  /** nginx cannot use the file, and the cookie keeps it from storing another. */
  async function miss(of: string): Promise<void> {
    await get(of)
    await eventually(() => existsSync(fileOf(of, 0)), 'nginx stores the slice')
    const bytes = readFileSync(fileOf(of, 0))
    // The checksum of the key.
    bytes.writeUInt32LE(0, 48)
    writeFileSync(fileOf(of, 0), bytes)
    age([fileOf(of, 0)])
    for (let round = 0; round < 3; round++) await get(`${of}?cookie`)
    await logged(of, 4)
    expect(statuses(of)).toEqual(['MISS', 'MISS', 'MISS', 'MISS'])
  }

  test('stay if the proxy has stored them anew since the scan', async () => {
    const anew = '/size/5000/anew'
    await miss(anew)
    const { scanId, corruptionCounts } = await scan()
    expect(corruptionCounts).toEqual({ steam: 1 })
    const { ino } = statSync(fileOf(anew, 0))
    await get(anew)
    await eventually(() => statSync(fileOf(anew, 0)).ino !== ino, 'nginx stores the slice anew')
    await finished('DELETE', `/api/cache/corruption?scanId=${scanId}`)
    expect(files()).toContain(fileOf(anew, 0))
    await logged(anew, 5)
    expect((await scan()).corruptionCounts).toEqual({})
  })

  test('are found in the log, removed with exactly their lines', async () => {
    await miss(path)
    const result = await scan()
    expect(result.corruptionCounts).toEqual({ steam: 1 })
    const [candidate] = await found(result.scanId)
    expect(candidate).toMatchObject({
      exactPaths: [fileOf(path, 0)],
      evidence: {
        kind: 'repeated_miss',
        rawUrl: `${path}?cookie`,
        cacheSlice: { kind: 'ranged', start: 0, end: 1_048_575 },
        evidenceCount: 3,
      },
    })
    await finished('DELETE', `/api/cache/corruption?scanId=${result.scanId}`)
    expect(files()).not.toContain(fileOf(path, 0))
    expect(lines(path)).toHaveLength(1)
    expect(await cached('repeated_miss')).toMatchObject({ totalCorruptedChunks: 0 })
  })
})

test('invalid requests are refused with the reason', async () => {
  const status = async (method: string, path: string) =>
    (await visitor.request(method, `/api/cache/${path}`)).status
  const { scanId } = await cached('structural')
  expect(await status('POST', 'corruption/detect?detectionMethod=magic')).toBe(400)
  expect(await status('POST', 'corruption/detect?scanMode=full')).toBe(400)
  expect(await status('POST', 'corruption/detect?threshold=4')).toBe(400)
  expect(await status('POST', 'corruption/detect?lookbackDays=366')).toBe(400)
  expect(await status('GET', 'corruption/cached?detectionMethod=magic')).toBe(400)
  expect(await status('GET', 'services/steam/corruption')).toBe(400)
  expect(await status('GET', 'services/a%2Fb/corruption?scanId=1')).toBe(400)
  const nowhere = '11111111-1111-4111-8111-111111111111'
  expect(await status('GET', `services/steam/corruption?scanId=${nowhere}`)).toBe(404)
  expect(await status('DELETE', `corruption?scanId=${scanId}&services=nobody`)).toBe(400)
  const { scans } = await visitor.read<{ scans: { scanId: string; isCurrent: boolean }[] }>(
    '/api/cache/corruption/history',
  )
  expect(scans.map(({ isCurrent }) => isCurrent)).toEqual([true, false, false, true, false])
  const old = scans[4]?.scanId ?? ''
  expect(await status('GET', `services/steam/corruption?scanId=${old}`)).toBe(409)
  expect(await status('DELETE', `corruption?scanId=${old}`)).toBe(409)
  expect(await status('GET', `corruption/history/${old}/services/steam`)).toBe(200)
  expect(await status('DELETE', `corruption/history/${old}`)).toBe(200)
  expect(await status('DELETE', `corruption/history/${old}`)).toBe(404)
  expect(await status('DELETE', `corruption?scanId=${scanId}`)).toBe(200)
})
