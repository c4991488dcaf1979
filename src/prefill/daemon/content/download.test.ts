import { describe, expect, test } from 'bun:test'
import type { CacheClient, ContentRequest } from './cache-client.ts'
import { CacheGate, type Patience } from './cache-gate.ts'
import { download, type ContentObject, type DownloadOptions } from './download.ts'
import { createMeter, isHit } from './meter.ts'
import { splitRange } from './ranges.ts'

const hosts = ['one.test', 'two.test']
const object = (name: string, part: Partial<ContentObject> = {}): ContentObject => ({
  hosts,
  target: `/${name}`,
  bytes: 10,
  ...part,
})

interface Reply {
  status?: number
  headers?: [string, string][]
  bytes?: number
  /** Breaks off after the bytes. */
  isBroken?: boolean
}

/** Short enough for tests; the pauses keep their proportions. */
const testPatience = {
  firstPauseMs: 1,
  longestPauseMs: 8,
  repeatPauseMs: 1,
  failingMs: 100,
  unreachableMs: 200,
}

/** A cache whose answers are decided by a function; records the requests. */
function fakeCache(reply: (request: ContentRequest) => Reply, patience: Partial<Patience> = {}) {
  const requests: ContentRequest[] = []
  let active = 0
  let mostActive = 0
  const client: CacheClient = {
    gate: new CacheGate({ ...testPatience, ...patience }),
    async get(request, { onHead, onBody, signal }) {
      requests.push(request)
      mostActive = Math.max(mostActive, ++active)
      try {
        await new Promise((resolve) => setImmediate(resolve))
        signal.throwIfAborted()
        const { status = 200, headers = [], bytes = 10, isBroken = false } = reply(request)
        const head = { status, headers: new Map(headers), isKeptOpen: true }
        const { range } = request
        if (status === 206 && range !== undefined && !head.headers.has('content-range')) {
          head.headers.set('content-range', `bytes ${range.first}-${range.last}/*`)
        }
        onHead?.(head)
        onBody(Buffer.alloc(bytes))
        if (isBroken) throw new Error('broken off')
        return head
      } finally {
        active--
      }
    },
    close() {},
  }
  return { client, requests, active: () => active, mostActive: () => mostActive }
}

function run(
  objects: ContentObject[],
  reply: (request: ContentRequest) => Reply,
  { patience, ...options }: Partial<DownloadOptions> & { patience?: Partial<Patience> } = {},
) {
  const cache = fakeCache(reply, patience)
  const meter = createMeter()
  const result = download(objects, {
    client: cache.client,
    signal: new AbortController().signal,
    meter,
    journal: null,
    parallel: 3,
    bypass: 'never',
    ...options,
  })
  return { ...cache, meter, result }
}

const pathOf = (target: string) => target.split('?', 1)[0]

test('all objects, so many at the same time, counted as they come', async () => {
  const objects = Array.from({ length: 20 }, (_, index) => object(`${index}`))
  const { result, requests, meter, mostActive } = run(objects, ({ target }) => ({
    headers: [['x-cache-status', target.endsWith('1') ? 'MISS' : 'HIT']],
  }))
  expect(await result).toEqual({ failed: 0, reason: null })
  expect(new Set(requests.map(({ target }) => target)).size).toBe(20)
  expect(mostActive()).toBe(3)
  expect([meter.totalBytes, meter.appBytes]).toEqual([200, 200])
  expect([meter.hitBytes, meter.missBytes]).toEqual([180, 20])
})

test('the next host answers instead, and broken bytes are no progress', async () => {
  const { result, requests, meter } = run([object('a')], ({ host }) =>
    host === 'one.test' ? { bytes: 7, isBroken: true } : {},
  )
  expect(await result).toEqual({ failed: 0, reason: null })
  expect(requests.map(({ host }) => host)).toEqual(hosts)
  expect([meter.appBytes, meter.totalBytes]).toEqual([10, 17])
})

test('a lasting fault is final when each host had it; the message names the object', async () => {
  const { result, requests } = run([object('a?secret')], () => ({ status: 404 }))
  const reason = 'the cache answered with status 404: http://two.test/a'
  expect(await result).toEqual({ failed: 1, reason })
  expect(requests).toHaveLength(2)
})

test('an object that fails four times is requested again after the others, twice', async () => {
  const objects = Array.from({ length: 20 }, (_, index) => object(`${index}`))
  for (const [faults, failed] of [
    [11, 0],
    [12, 1],
  ] as const) {
    let left = faults
    const { result, requests } = run(objects, ({ target }) => ({
      isBroken: pathOf(target) === '/3' && left-- > 0,
    }))
    const reason = failed === 0 ? null : expect.stringContaining('broken off: http://')
    expect(await result).toEqual({ failed, reason })
    expect(requests.filter(({ target }) => pathOf(target) === '/3')).toHaveLength(12)
    const others = requests.findLastIndex(({ target }) => pathOf(target) !== '/3')
    expect(requests.length - others).toBeGreaterThan(8)
  }
})

test('the reason is that of an object that is missing in the end', async () => {
  let left = 4
  const { result } = run([object('a'), object('b')], ({ target }) => ({
    isBroken: pathOf(target) === '/b' || left-- > 0,
  }))
  const reason = expect.stringMatching(/^broken off: http.*\/b$/)
  expect(await result).toEqual({ failed: 1, reason })
})

test('an optional object that is missing is no failure', async () => {
  const { result } = run([object('a', { isOptional: true })], () => ({ status: 404 }))
  expect(await result).toEqual({ failed: 0, reason: null })
})

test('a cache that fails again and again is not asked for everything', async () => {
  const objects = Array.from({ length: 200 }, (_, index) => object(`${index}`))
  const { result, requests } = run(objects, () => ({ status: 403 }), { parallel: 1 })
  expect((await result).failed).toBe(200)
  expect(requests).toHaveLength(60)
  const pages = run(objects, () => ({ bytes: 9 }), { parallel: 1 })
  expect((await pages.result).failed).toBe(200)
  // Thirty objects in each of three passes: once from the cache, once past it for each host.
  expect(pages.requests).toHaveLength(270)
})

test.each([
  ['never', 0],
  ['retries', 1],
  ['always', 2],
] as const)('bypass after a body that broke off: %s', async (bypass, count) => {
  let asked = 0
  const { result, requests } = run([object('a')], () => ({ isBroken: asked++ === 0 }), { bypass })
  await result
  const bypassing = requests.filter(({ target }) => target === '/a?nocache=1')
  expect(bypassing).toHaveLength(count)
})

describe('ranges', () => {
  const range = { first: 0, last: 9 }
  test('a partial answer, or a whole file that is the range', async () => {
    expect((await run([object('a', { range })], () => ({ status: 206 })).result).failed).toBe(0)
    const whole: Reply = { headers: [['content-length', '10']] }
    expect((await run([object('a', { range })], () => whole).result).failed).toBe(0)
  })

  test('a larger file instead is not downloaded', async () => {
    const whole: Reply = { headers: [['content-length', '11']] }
    const { result, meter } = run([object('a', { range })], () => whole)
    const reason = 'the cache ignored the requested range: http://two.test/a'
    expect(await result).toEqual({ failed: 1, reason })
    expect(meter.totalBytes).toBe(0)
  })

  test('long ones are split', () => {
    expect(splitRange({ first: 5, last: 25 }, 10)).toEqual([
      { first: 5, last: 14 },
      { first: 15, last: 24 },
      { first: 25, last: 25 },
    ])
    expect(splitRange({ first: 5, last: 14 }, 10)).toEqual([{ first: 5, last: 14 }])
  })
})

test('what the journal lists is not requested but counts as progress', async () => {
  const added: string[] = []
  const journal = {
    has: (key: string) => key === '/a',
    add: (key: string) => void added.push(key),
    finish() {},
    close() {},
  }
  const range = { first: 1, last: 2 }
  const objects = [object('a'), object('b', { range, bytes: 2 })]
  const reply = () => ({ status: 206, bytes: 2 })
  const { result, requests, meter } = run(objects, reply, { journal })
  await result
  expect(requests.map(({ target }) => target)).toEqual(['/b'])
  expect(added).toEqual(['/b 1-2'])
  expect([meter.appBytes, meter.totalBytes]).toEqual([12, 2])
})

test('an abort ends everything with its reason', async () => {
  const abort = new AbortController()
  const objects = Array.from({ length: 50 }, (_, index) => object(`${index}`))
  const { result, requests, active } = run(
    objects,
    () => {
      abort.abort(new Error('enough'))
      return { status: 500 }
    },
    { signal: abort.signal, patience: { firstPauseMs: 60_000 } },
  )
  expect(await result.catch(String)).toBe('Error: enough')
  expect(requests.length).toBeLessThan(7)
  expect(active()).toBe(0)
})

test.each([
  ['x-upstream-cache-status', 'HIT', true],
  ['x-cache-status', 'stale', true],
  ['x-cache-status', 'EXPIRED', false],
  ['server', 'nginx', null],
] as const)('%s: %s', (name, value, expected) => {
  expect(isHit(new Map([[name, value]]))).toBe(expected)
})
