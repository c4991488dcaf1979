/*
 * Every route that names a datasource, with one of a node: it acts there, or says why it cannot.
 * While the node is away nothing changes in its folders, which here lie on the same machine.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../test/support/app.ts'
import { atEnd } from '../../test/support/cleanup.ts'
import { eventually } from '../../test/support/eventually.ts'
import { jobEnd } from '../../test/support/job-end.ts'
import { logLine } from '../../test/support/log-lines.ts'
import { quietLog } from '../../test/support/quiet-log.ts'
import { signInOwner } from '../../test/support/sign-in.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { readConfig } from '../core/config.ts'
import { configHash, sliceKey, writeCacheFile } from '../demo/cache-generator.ts'
import type { Checklist } from '../system/setup/model.ts'
import { startNode } from './run.ts'

const host = 'cdn.example.test'
const nowS = Math.floor(Date.now() / 1000)
const pathOf = (name: string) => `/depot/731/chunk/${name}`

/** Folders of a cache with one object, which a client requested again and again. */
function makeCache(root: string, name: string): void {
  for (const folder of ['data', 'logs', 'cache']) mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, 'cache', 'CONFIGHASH'), configHash)
  const [path, body] = [pathOf(name), new Uint8Array(2000)]
  const key = sliceKey('steam', path, 0)
  writeCacheFile(join(root, 'cache'), { key, body, storedAt: nowS - 7200, objectBytes: 2000 })
  const lines = Array.from({ length: 5 }, (_, at) =>
    logLine({ at: nowS - 60 + at, path, host, bytes: 2000 }),
  )
  const other = logLine({ at: nowS - 50, tag: 'origin', path: '/other' })
  writeFileSync(join(root, 'logs', 'access.log'), [...lines, other].join(''))
}

/** Names, sizes and contents below a folder. */
const stateOf = (root: string) =>
  ['logs', 'cache'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .toSorted()
      .map((name) => {
        const path = join(root, folder, name)
        const content = statSync(path).isFile() ? Bun.hash(readFileSync(path)) : null
        return `${folder}/${name} ${content}`
      }),
  )
const filesOf = (root: string) =>
  readdirSync(join(root, 'cache'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /[0-9a-f]{32}$/.test(name),
  ).length

/** Requests that the node's cache got. */
const fetched: string[] = []

const cache = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    const { pathname } = new URL(request.url)
    const isBeat = pathname === '/lancache-heartbeat'
    if (!isBeat) fetched.push(pathname)
    return isBeat
      ? new Response(null, { status: 204, headers: { 'X-LanCache-Processed-By': 'attic' } })
      : new Response(new Uint8Array(2000))
  },
})
atEnd(() => cache.stop(true))
// The service's own cache cannot be asked for an object.
const app = await testApp({
  isIngesting: true,
  isIndexing: true,
  environment: { Doctor__ProxyAddress: '127.0.0.1:1' },
})
makeCache(app.root, 'own')
const root = tempFolder('node-operations')
makeCache(root, 'attic')
const owner = await signInOwner(app)
const invited = await owner.post('/api/ext/nodes', { name: 'attic' })
const { token } = (await invited.json()) as { token: string }
const config = readConfig({
  DATA_PATH: join(root, 'data'),
  LanCache__LogPath: join(root, 'logs'),
  LanCache__CachePath: join(root, 'cache'),
  LogProcessing__StartAt: 'beginning',
  Node__Service: `http://${app.listen()}`,
  Node__Token: token,
  Node__CacheAddress: `127.0.0.1:${cache.port}`,
  TZ: 'UTC',
})
let isStopped = false
const end = await startNode(config, quietLog, null)
const stop = async () => {
  if (!isStopped) await end()
  isStopped = true
}
await eventually(
  async () => (await app.cache.roots()).some(({ datasource }) => datasource === 'attic'),
  'the datasource of the node is there',
)
afterAll(() => stop())

const object = { datasource: 'attic', url: `http://${host}${pathOf('attic')}`, tag: 'steam' }

interface Case {
  route: string
  body?: unknown
  query?: Record<string, string>
  /** Checked after the call, and after the operation that it began. */
  done(answer: unknown): void
  /** What is answered while the node is away, if it is no refusal. */
  away?: object
}

const logText = () => readFileSync(join(root, 'logs', 'access.log'), 'utf8')

interface Answer {
  operationId?: string | null
  error?: string | null
}

/** In this order: each finds what the ones before have left. */
const cases: Case[] = [
  {
    route: 'GET /api/ext/doctor/suspects',
    query: { datasource: 'attic' },
    done: (answer) =>
      expect(answer).toMatchObject({
        suspects: [{ datasource: 'attic', path: pathOf('attic'), asked: 5 }],
        coverage: [{ datasource: 'attic', linesRead: 6, problem: null }],
      }),
  },
  {
    route: 'GET /api/ext/doctor/object',
    query: object,
    done: (answer) => expect(answer).toMatchObject({ verdict: 'sound', files: [{ findings: [] }] }),
  },
  {
    route: 'POST /api/ext/doctor/refetch',
    body: object,
    done(answer) {
      expect(answer).toMatchObject({ proxy: { name: 'attic' }, fetched: { isWhole: true } })
      expect(fetched).toEqual([pathOf('attic')])
    },
  },
  {
    route: 'PATCH /api/logs/position/:name',
    body: { position: 0 },
    done: (answer) => expect(answer).toMatchObject({ message: expect.any(String) }),
  },
  { route: 'POST /api/logs/process/:name', done: () => {} },
  {
    route: 'GET /api/cache/size',
    query: { datasource: 'attic' },
    done: (answer) => expect(answer).toMatchObject({ totalFiles: 1 }),
    away: {},
  },
  {
    route: 'PUT /api/system/datasources/:name/cache-size',
    body: { size: '500g' },
    done: (answer) => expect(answer).toMatchObject({ name: 'attic' }),
    // A setting of the service.
    away: { name: 'attic' },
  },
  { route: 'POST /api/ext/cache/index/accept', body: { datasource: 'attic' }, done: () => {} },
  {
    route: 'POST /api/ext/doctor/purge',
    body: object,
    done: () => expect(filesOf(root)).toBe(0),
  },
  {
    route: 'DELETE /api/cache/datasources/:name',
    done: () => expect(filesOf(root)).toBe(0),
  },
  {
    route: 'DELETE /api/logs/datasources/:name/services/:service',
    done: () => expect(logText()).toMatch(/^\[origin\] .*\n$/),
  },
  {
    route: 'DELETE /api/logs/datasources/:name/file',
    done: () => expect(existsSync(join(root, 'logs', 'access.log'))).toBe(false),
  },
]

const nameless = (path: string) => path.replace(/:(datasourceName|name)\b/, ':name')

async function call({ route, body, query }: Case) {
  const [method = '', path = ''] = route.split(' ')
  const url = path.replace(':name', 'attic').replace(':service', 'steam')
  const text = query === undefined ? url : `${url}?${new URLSearchParams(query).toString()}`
  const response = await owner.send(method, text, body === undefined ? {} : { body })
  const answer = (await response.json().catch(() => null)) as Answer | null
  return { status: response.status, answer }
}

test('every route that names a datasource is tried', () => {
  const named = app.routes.flatMap(({ method, path, hooks }) => {
    const { params, query, body } = (hooks ?? {}) as Record<string, { properties?: object }>
    const names = [params, query, body].flatMap((one) => Object.keys(one?.properties ?? {}))
    // A rule is stored; its datasource is looked for when it runs.
    if (path.startsWith('/api/ext/retention/rules')) return []
    const isNamed = names.includes('datasource') || names.includes('datasourceName')
    return isNamed || /\/datasources\/:/.test(path) ? [`${method} ${nameless(path)}`] : []
  })
  expect(named.toSorted()).toEqual(cases.map(({ route }) => route).toSorted())
})

const read = async (path: string): Promise<unknown> => (await owner.get(path)).json()

test('what is asked about all datasources includes those of nodes', async () => {
  const counts = await read('/api/logs/service-counts/by-datasource')
  const counted = { logsWritable: true, serviceCounts: { steam: 5 } }
  expect(counts).toMatchObject([
    { datasource: 'default', ...counted },
    { datasource: 'attic', logsPath: `attic:${join(root, 'logs')}`, ...counted },
  ])
  const { checks } = (await read('/api/ext/setup/checklist')) as Checklist
  expect(checks.filter(({ datasource }) => datasource === 'attic')).toMatchObject([
    { part: 'log', problem: 'none', path: `attic:${join(root, 'logs', 'access.log')}` },
    { part: 'lines', problem: 'none', lines: 6, understood: 6 },
    { part: 'cacheRead', problem: 'none' },
    { part: 'cacheWrite', problem: 'none' },
  ])
  const found = [
    { datasource: 'attic', path: pathOf('attic') },
    { datasource: 'default', path: pathOf('own') },
  ]
  const { suspects } = (await read('/api/ext/doctor/suspects')) as { suspects: typeof found }
  expect(suspects.toSorted((a, b) => a.datasource.localeCompare(b.datasource))).toMatchObject(found)
})

describe('a datasource of a node', () => {
  test.each(cases.map((one) => [one.route, one] as const))('%s', async (_route, one) => {
    const before = stateOf(app.root)
    const { status, answer } = await call(one)
    expect(status > 202 ? answer : null).toBeNull()
    const operationId = answer?.operationId
    if (typeof operationId === 'string') {
      const { status: end, error } = await jobEnd(app.operations, operationId)
      expect({ end, error }).toEqual({ end: 'completed', error: null })
    }
    one.done(answer)
    expect(stateOf(app.root)).toEqual(before)
  })
})

describe('while its node is away', () => {
  beforeAll(async () => {
    await stop()
    await eventually(
      () => app.nodes.list().every(({ state }) => state === 'away'),
      'the node is away',
    )
    // As if the service had the folders of the node under the same names.
    makeCache(root, 'attic')
  })

  test('others are asked all the same', async () => {
    expect(await read('/api/ext/doctor/suspects')).toMatchObject({
      suspects: [{ datasource: 'default' }],
      coverage: [
        { datasource: 'default', problem: null },
        { datasource: 'attic', problem: expect.stringContaining('The node attic is away since') },
      ],
    })
    const { checks } = (await read('/api/ext/setup/checklist')) as Checklist
    expect(checks.filter(({ datasource }) => datasource === 'attic')).toMatchObject([
      { part: 'log', detail: expect.stringContaining('The node attic is away'), remedy: null },
    ])
    expect(await read('/api/logs/service-counts/by-datasource')).toMatchObject([
      { datasource: 'default', serviceCounts: { steam: 5 }, leftOut: [] },
      { datasource: 'attic', serviceCounts: {}, leftOut: [{ file: null }] },
    ])
  })

  test.each(cases.map((one) => [one.route, one] as const))('%s', async (_route, one) => {
    const before = [stateOf(app.root), stateOf(root)]
    const { status, answer } = await call(one)
    const operationId = answer?.operationId
    const end = typeof operationId === 'string' ? await jobEnd(app.operations, operationId) : null
    expect([stateOf(app.root), stateOf(root)]).toEqual(before)
    if (one.away === undefined) {
      expect(end === null ? String(status) : end.status).toBe(end === null ? '503' : 'failed')
      expect((end ?? answer)?.error).toContain('The node attic is away since')
    } else expect(answer).toMatchObject(one.away)
  })
})
