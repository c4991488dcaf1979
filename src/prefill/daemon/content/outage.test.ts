import { describe, expect, test } from 'bun:test'
import { seededRandom } from '../../../demo/random.ts'
import { practiceOrigin } from '../../../../test/support/practice-origin.ts'
import { atEnd } from '../../../../test/support/cleanup.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { testServer } from '../../../../test/support/test-server.ts'
import { createBandwidth } from './bandwidth.ts'
import { CacheNotFound } from './cache-address.ts'
import { createCacheClient } from './cache-client.ts'
import { CacheGate, type Patience } from './cache-gate.ts'
import { ContentFault, retryAfterMs } from './content-fault.ts'
import { download, type ContentObject } from './download.ts'
import { createMeter } from './meter.ts'

const patience: Partial<Patience> = { firstPauseMs: 5, longestPauseMs: 40, repeatPauseMs: 1 }
const hostNames = Array.from({ length: 8 }, (_, index) => `${index}.cdn.test`)

const objectsOf = (count: number, hosts: number): ContentObject[] =>
  Array.from({ length: count }, (_, index) => ({
    hosts: hostNames.slice(0, hosts),
    target: `/size/100/${index}`,
    bytes: 100,
  }))

function start(
  objects: ContentObject[],
  port: number,
  options: {
    patience?: Partial<Patience>
    signal?: AbortSignal
    idleMs?: number
    bypass?: 'retries' | 'never'
    gate?: CacheGate
  } = {},
) {
  const created = createCacheClient({
    address: { host: '127.0.0.1', port },
    userAgent: null,
    bandwidth: createBandwidth(),
    ...options,
    patience: { ...patience, ...options.patience },
  })
  const client = { ...created, ...(options.gate !== undefined && { gate: options.gate }) }
  const { signal = new AbortController().signal, bypass = 'retries' } = options
  const meter = createMeter()
  const common = { client, signal, meter, journal: null } as const
  const result = download(objects, { ...common, parallel: 30, bypass })
  return { gate: client.gate, meter, result: result.finally(() => client.close()) }
}

/** Answers like this while it is broken. */
const answers: Record<string, () => Response> = {
  'status 502': () => new Response('bad gateway', { status: 502 }),
  'status 429': () => new Response('slowly', { status: 429, headers: { 'Retry-After': '0' } }),
  'status 503': () => new Response('', { status: 503, headers: { 'Retry-After': '0' } }),
}

describe.each(Object.entries(answers))(
  'a cache that answers everything with %s',
  (_name, answer) => {
    test.each([1, 3, 4, 8])('for a while, with %d hosts: every object comes', async (hosts) => {
      const origin = practiceOrigin()
      origin.intercept((path) => (path === '/size/100/0' ? undefined : answer()))
      const { gate, result } = start(objectsOf(600, hosts), origin.port)
      await eventually(() => gate.waiting !== null, 'requests wait')
      const before = origin.content.length
      // One after the other is sent, with pauses.
      await eventually(() => origin.content.length >= before + 4, 'further attempts')
      expect(origin.content.length).toBeLessThan(200)
      origin.intercept(() => undefined)
      expect(await result).toEqual({ failed: 0, reason: null })
      expect(gate.waiting).toBeNull()
    })
  },
)

test('a cache that is not there for a while: every object comes', async () => {
  const first = testServer(() => new Response(new Uint8Array(100)))
  const { gate, result } = start(objectsOf(2000, 4), first.port, {
    patience: { unreachableMs: 600_000 },
  })
  await first.stop()
  await eventually(() => gate.waiting !== null, 'requests wait')
  expect(gate.waiting?.message).toContain('The cache has not answered since 20')
  let served = 0
  const second = Bun.serve({
    hostname: '127.0.0.1',
    port: first.port,
    fetch() {
      served++
      return new Response(new Uint8Array(100))
    },
  })
  expect(await result).toEqual({ failed: 0, reason: null })
  expect(served).toBeGreaterThan(0)
  await second.stop(true)
})

test('a cache that stays away ends the run; one that only sends errors ends the game', async () => {
  const gone = testServer(() => new Response())
  await gone.stop()
  const limits = { unreachableMs: 60, failingMs: 60 }
  const away = start(objectsOf(500, 4), gone.port, { patience: limits })
  const notFound: unknown = await away.result.catch((error: unknown) => error)
  expect(notFound).toBeInstanceOf(CacheNotFound)
  const origin = practiceOrigin()
  origin.intercept(() => new Response('', { status: 500 }))
  const ill = start(objectsOf(500, 4), origin.port, { patience: limits })
  const failing = await ill.result
  expect(failing.failed).toBe(500)
  const text = 'errors only since .*: the cache answered with status 500: http://\\d.cdn.test/size'
  expect(failing.reason).toMatch(new RegExp(text))
  expect(ill.gate.waiting).toBeNull()
})

test('a game waits once for a cache that accepts and never answers, the next game again', async () => {
  let requests = 0
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: () => void requests++ },
  })
  atEnd(() => Promise.resolve(server.stop(true)))
  const gate = new CacheGate({ ...patience, failingMs: 60 })
  const again = () => start(objectsOf(40, 2), server.port, { idleMs: 20, gate }).result
  expect(await again()).toMatchObject({ failed: 40 })
  const asked = requests
  const { failed, reason } = await again()
  expect(failed).toBe(40)
  expect(reason).toContain('The cache has answered with errors only since')
  expect(requests).toBe(asked)
  gate.nextGame()
  await again()
  expect(requests).toBeGreaterThan(asked)
})

test('without other limits a run survives a cache that is away for two minutes', () => {
  const { unreachableMs, failingMs, longestPauseMs } = new CacheGate().patience
  expect(Math.min(unreachableMs, failingMs) - longestPauseMs).toBeGreaterThan(120_000)
})

test('a cancel ends the wait at once', async () => {
  const origin = practiceOrigin()
  origin.intercept(() => new Response('', { status: 503, headers: { 'Retry-After': '3600' } }))
  const abort = new AbortController()
  const { gate, result } = start(objectsOf(100, 2), origin.port, { signal: abort.signal })
  await eventually(() => gate.waiting !== null, 'requests wait')
  abort.abort(new Error('enough'))
  expect(await result.catch(String)).toBe('Error: enough')
})

test.each([
  ['before', 'never', ''],
  ['before', 'retries', ''],
  ['within', 'never', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
] as const)(
  'an object of which the cache breaks off %s the answer is fetched again: %s',
  async (...how) => {
    const [, bypass, broken] = how
    const whole = `HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n${'x'.repeat(100)}`
    const server = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data: (socket, request) =>
          void socket.end(/GET \/size\/100\/7 /.test(String(request)) ? broken : whole),
      },
    })
    atEnd(() => Promise.resolve(server.stop(true)))
    const { meter, result } = start(objectsOf(9, 2), server.port, { bypass })
    expect(await result).toEqual({ failed: 0, reason: null })
    expect(meter.appBytes).toBe(900)
  },
)

test('a few objects with errors hold up nothing', async () => {
  const origin = practiceOrigin()
  let bad = 0
  origin.intercept((path) => {
    if (!path.includes('/7')) return undefined
    return bad++ % 3 === 0 ? undefined : new Response('', { status: 500 })
  })
  const { result } = start(objectsOf(600, 2), origin.port)
  expect((await result).failed).toBe(0)
})

test('objects that only have errors fail alone, and not at all where they are optional', async () => {
  const origin = practiceOrigin()
  origin.intercept((path) => (/[08]$/.test(path) ? new Response('', { status: 500 }) : undefined))
  const limits = { patience: { failingMs: 60 } }
  const { meter, result } = start(objectsOf(8, 2), origin.port, limits)
  expect((await result).failed).toBe(1)
  expect(meter.appBytes).toBe(700)
  const optional = objectsOf(9, 2).slice(8)
  const other = start(
    optional.map((one) => ({ ...one, isOptional: true })),
    origin.port,
    limits,
  )
  expect(await other.result).toEqual({ failed: 0, reason: null })
})

test('a host that fails is asked last from then on', async () => {
  const origin = practiceOrigin()
  const isDead = (request: Request) => request.headers.get('host') === '0.cdn.test'
  origin.intercept((_path, request) =>
    isDead(request) ? new Response('', { status: 502 }) : undefined,
  )
  const { result } = start(objectsOf(600, 2), origin.port)
  expect((await result).failed).toBe(0)
  expect(origin.content.filter(({ host }) => host === '0.cdn.test').length).toBeLessThan(100)
})

test('whatever a cache sends, a download ends, and right bodies count only', async () => {
  const random = seededRandom(7)
  const right = `HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n${'x'.repeat(100)}`
  let rightOnes = 0
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        const at = random.between(0, right.length)
        const kind = random.pick(['right', 'right', 'cut', 'silent', 'garbage', 'longer'] as const)
        if (kind === 'right') rightOnes++
        if (kind === 'garbage') socket.write(`${right.slice(0, at)}\u0000${right.slice(at + 1)}`)
        else if (kind === 'longer') socket.write(`${right}x`)
        else socket.write(kind === 'right' ? right : right.slice(0, at))
        if (kind === 'cut') socket.end()
      },
    },
  })
  const limits = { failingMs: 2000, unreachableMs: 4000 }
  const { meter, result } = start(objectsOf(300, 2), server.port, { patience: limits, idleMs: 20 })
  const outcome: unknown = await result.catch((error: unknown) => error)
  server.stop(true)
  if (outcome instanceof Error) expect(outcome).toBeInstanceOf(CacheNotFound)
  else expect(outcome).toMatchObject({ failed: expect.any(Number) })
  expect(rightOnes).toBeGreaterThan(10)
  expect(meter.appBytes % 100).toBe(0)
})

test('a pause that the cache asks for is kept, but not beyond the limit', async () => {
  const fault = (askedPauseMs: number) => new ContentFault('failing', 'busy', { askedPauseMs })
  const { signal } = new AbortController()
  for (const [askedMs, limitMs] of [
    [60, 1000],
    [3_600_000, 60],
  ] as const) {
    const gate = new CacheGate({ firstPauseMs: 1, askedPauseMsMax: limitMs })
    const startMs = performance.now()
    expect((await gate.enter(signal)).failed(fault(askedMs))).toBe(true)
    const [first, second] = [gate.enter(signal), gate.enter(signal)]
    let isSecondSent = false
    void second.then(() => (isSecondSent = true))
    const trial = await first
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(59)
    expect(isSecondSent).toBe(false)
    trial.succeeded()
    await second
    expect(gate.waiting).toBeNull()
  }
})

test.each([
  ['7', 7000],
  ['0', 0],
  ['Fri, 20 Nov 2026 20:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 19:00:00 GMT', 0],
  ['soon', null],
  ['-1', null],
  [undefined, null],
] as const)('Retry-After: %s', (value, expected) => {
  expect(retryAfterMs(value, new Date('2026-11-20T20:00:00Z'))).toBe(expected)
})
