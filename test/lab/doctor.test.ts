import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs'
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
const stuck = `/size/${objectBytes}/stuck`
const sound = `/size/${objectBytes}/sound`
const mixed = `/changing/${objectBytes}/mixed`
const host = alphaHeaders.host
const client = '127.0.0.7'
let proxy: Proxy
let larder: Larder
let visitor: Visitor

interface Stored {
  verdict: string
  objectBytes: number | null
  files: {
    path: string
    slice: number | null
    fileBytes: number
    isInIndex: boolean
    header: { etag: string | null; version: number; httpStatus: number; contentRange: string }
    framing: { expectedPayloadBytes: number | null; actualPayloadBytes: number | null }
    findings: string[]
    disagreesIn: string[]
  }[]
  holes: { first: number; last: number }[]
  missingAtEnd: { first: number; last: number } | null
}
interface Suspect {
  client: string
  tag: string
  url: string
  path: string
  slice: number | null
  asked: number
  isInIndex: boolean | null
  reason: string
}
interface Refetched {
  host: string
  proxy: { name: string; port: number }
  fetched: { status: number; bytes: number; isWhole: boolean; cacheStatus: string | null }
  before: Stored
  after: Stored
}

beforeAll(async () => {
  const origin = startOrigin()
  proxy = await startProxy(root, '1m', undefined, origin)
  for (const path of [stuck, sound]) await get(path)
  await storeTwoVersions(origin, fileOf(mixed, 1), () => get(mixed))
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: proxy.cachePath,
    sources: [{ name: 'default', logPath: proxy.plainLogs }],
    environment: {
      DOCKER_HOST: 'unix:///nowhere/engine.sock',
      Doctor__ProxyAddress: `127.0.0.1:${proxy.port}`,
    },
  })
  visitor = await larder.firstSignIn()
})
afterAll(async () => {
  await larder.stop()
  await proxy.stop()
})

const get = (path: string) =>
  download({ port: proxy.port, path, headers: alphaHeaders, from: client }).catch(() => null)
const fileOf = (path: string, slice: number) =>
  join(proxy.cachePath, cacheFilePath(sliceKey('steam', path, slice)))
const object = (url: string, more = '') =>
  visitor.read<Stored>(
    `/api/ext/doctor/object?datasource=default&url=${encodeURIComponent(url)}${more}`,
  )
const suspects = (query: string) =>
  visitor.read<{ suspects: Suspect[] }>(`/api/ext/doctor/suspects?${query}`)

const listing = () =>
  Object.fromEntries(
    readdirSync(proxy.cachePath, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name)
        const { size, ino, mtimeMs } = statSync(path)
        return [path, `${ino} ${size} ${mtimeMs}`]
      }),
  )

async function post<T>(path: string, body: object): Promise<T> {
  const response = await visitor.request('POST', `/api/ext/doctor/${path}`, body)
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  // Responses of our own service.
  return JSON.parse(text) as T
}

async function purge(body: object): Promise<void> {
  const { operationId } = await post<{ operationId: string }>('purge', body)
  const ended = async () => {
    const view = await visitor.read<{ status: string; error: string | null }>(
      `/api/operations/${operationId}`,
    )
    if (view.status === 'failed') throw new Error(view.error ?? 'failed')
    return view.status === 'completed'
  }
  await eventually(ended, 'the removal ends')
}

const lines = (path: string) =>
  readFileSync(join(proxy.plainLogs, 'access.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes(path))

describe('a download that hangs', () => {
  test('shows in the log as one object that is requested repeatedly', async () => {
    truncateSync(fileOf(stuck, 1), statSync(fileOf(stuck, 1)).size - 1000)
    // nginx announces the full length and aborts: the client retries.
    for (let round = 0; round < 6; round++) await get(stuck)
    await get(sound)
    await eventually(() => lines(stuck).length === 7, 'nginx logs all requests')
    const found = await suspects(`client=${client}&minutes=10`)
    expect(found.suspects).toMatchObject([
      { client, tag: 'steam', url: stuck, path: stuck, slice: 0, asked: 7 },
    ])
    expect(found.suspects[0]?.reason).toMatch(
      /^requested 7 times in \d+ s, each answered 200 with /,
    )
    expect((await suspects('client=127.0.0.8')).suspects).toEqual([])
  })

  test('has a corrupted file', async () => {
    const stored = await object(`http://${host}${stuck}`)
    expect(stored).toMatchObject({
      verdict: 'broken',
      objectBytes,
      holes: [],
      missingAtEnd: null,
    })
    expect(stored.files.map(({ slice }) => slice)).toEqual([0, 1, 2])
    expect(stored.files.map(({ findings }) => findings)).toEqual([
      [],
      ['content_range_length_mismatch'],
      [],
    ])
    const size = statSync(fileOf(stuck, 1)).size
    expect(stored.files[1]).toMatchObject({
      path: fileOf(stuck, 1),
      fileBytes: size,
      header: { version: 5, httpStatus: 206, etag: '"lab-1"' },
      framing: { expectedPayloadBytes: 1_048_576, actualPayloadBytes: 1_047_576 },
    })
  })

  test('removes this object and nothing else', async () => {
    const before = listing()
    await purge({ datasource: 'default', url: stuck, tag: 'steam' })
    const after = listing()
    const gone = Object.keys(before).filter((path) => !(path in after))
    expect(gone.toSorted()).toEqual([0, 1, 2].map((slice) => fileOf(stuck, slice)).toSorted())
    for (const path of gone) delete before[path]
    expect(after).toEqual(before)
    expect(await object(stuck, '&tag=steam')).toMatchObject({ verdict: 'absent', files: [] })
  })

  test('is stored completely again, and own requests are not counted', async () => {
    const body = { datasource: 'default', url: stuck, tag: 'steam' }
    const result = await post<Refetched>('refetch', body)
    expect(result).toMatchObject({
      host,
      proxy: { name: 'lab', port: proxy.port },
      fetched: { status: 200, bytes: objectBytes, isWhole: true, cacheStatus: 'MISS' },
      before: { verdict: 'absent' },
      after: { verdict: 'sound', objectBytes },
    })
    expect(result.after.files.map(({ findings }) => findings)).toEqual([[], [], []])
    expect(await get(stuck)).toEqual({ status: 200, bytes: objectBytes })
    const again = await post<Refetched>('refetch', { ...body, slice: 1 })
    expect(again.fetched).toMatchObject({ status: 206, bytes: 1_048_576, cacheStatus: 'HIT' })
    const own = lines(stuck).filter((line) => line.includes('Larder-Probe'))
    expect(own).toHaveLength(2)
    const found = await suspects('minutes=10')
    expect(found.suspects.map(({ asked }) => asked)).toEqual([8])
  })
})

describe('slices that do not belong together', () => {
  test('are reported, and one of them can be removed', async () => {
    const stored = await object(mixed)
    expect(stored.verdict).toBe('broken')
    expect(stored.files.map(({ disagreesIn }) => disagreesIn)).toEqual([['etag'], [], ['etag']])
    await purge({ datasource: 'default', url: mixed, slice: 1 })
    expect(await object(mixed)).toMatchObject({
      verdict: 'incomplete',
      holes: [{ first: 1, last: 1 }],
      missingAtEnd: null,
    })
  })
})

test('invalid requests are refused with the reason', async () => {
  const ask = async (query: string) => {
    const response = await visitor.request('GET', `/api/ext/doctor/${query}`)
    return [response.status, await response.text()] as const
  }
  const refused: [string, number, RegExp][] = [
    ['object?datasource=default&url=ftp%3A%2F%2Fa%2Fb', 400, /full http address/],
    ['object?datasource=default&url=https%3A%2F%2Fa%2Fb', 400, /fetched over http/],
    ['object?datasource=default&url=%2Fnothing', 400, /tag is missing/],
    ['object?datasource=default&url=%2Fa%0Ab&tag=steam', 400, /control characters/],
    ['object?datasource=default&url=%2Fa&tag=a%2Fb', 400, /tag/],
    ['object?datasource=nowhere&url=%2Fa&tag=steam', 404, /Datasource/],
    ['suspects?client=nobody', 400, /IP address/],
    ['suspects?minutes=0', 400, /minutes: Expected a whole number from 1/],
  ]
  for (const [query, status, text] of refused) {
    const [got, body] = await ask(query)
    expect([query, got]).toEqual([query, status])
    expect(body).toMatch(text)
  }
  const act = async (path: string, body: object) => {
    const response = await visitor.request('POST', `/api/ext/doctor/${path}`, body)
    return [response.status, await response.text()] as const
  }
  const nothing = { datasource: 'default', url: '/size/10/none', tag: 'steam' }
  expect((await act('purge', nothing))[0]).toBe(404)
  const foreign = { datasource: 'default', url: 'http://evil.test/a', tag: 'steam' }
  expect(await act('refetch', foreign)).toEqual([400, expect.stringContaining('evil.test')])
  const other = { datasource: 'default', url: '/a', tag: 'nobody' }
  expect(await act('refetch', other)).toEqual([
    400,
    expect.stringContaining('give the full address'),
  ])
})
