import { describe, expect, test } from 'bun:test'
import { enough, judge, verdicts, type Figures, type Speed } from './judge.ts'

const mb = 1_000_000
/** With times of requests when a number of connections is given. */
const speed = (bytesPerSecond: number, connections: number | null = null): Speed => ({
  bytesPerSecond,
  connections,
  requestBytesPerSecond:
    connections === null ? null : bytesPerSecond / Math.max(connections, 0.001),
})

/** A download of ten seconds from the cache, alone, in a log without times of requests. */
const figures = (part: Partial<Figures> & { at?: Speed } = {}): Figures => {
  const { at = speed(10 * mb), ...rest } = part
  return {
    seconds: 10,
    bytes: 10 * at.bytesPerSecond,
    requests: 100,
    internetShare: 0,
    expiredShare: 0,
    originShare: null,
    own: at,
    client: at,
    otherClient: null,
    otherTitle: null,
    internetBytesPerSecond: at.bytesPerSecond,
    lineBytesPerSecond: null,
    bestCacheBytesPerSecond: null,
    clientBestBytesPerSecond: null,
    otherClientBestBytesPerSecond: null,
    disk: null,
    ...rest,
  }
}
const fetched = (part: Parameters<typeof figures>[0]) => figures({ internetShare: 1, ...part })
const [busy, idle] = [
  { busy: 0.97, waiting: 0.1 },
  { busy: 0.1, waiting: 0.01 },
]

const bestOfBoth = {
  bestCacheBytesPerSecond: 100 * mb,
  clientBestBytesPerSecond: 90 * mb,
  otherClientBestBytesPerSecond: 100 * mb,
}

describe('from the internet', () => {
  test.each<[string, Figures, string]>([
    ['the line is full', fetched({ lineBytesPerSecond: 12 * mb }), 'internet'],
    ['others are as slow', fetched({ otherTitle: speed(11 * mb) }), 'internet'],
    ['another is faster', fetched({ otherTitle: speed(45 * mb) }), 'origin'],
    [
      'another is twice as fast, without times',
      fetched({ otherTitle: speed(20 * mb) }),
      'internet',
    ],
    [
      'each request of another is twice as fast',
      fetched({ at: speed(10 * mb, 4), otherTitle: speed(21 * mb, 4) }),
      'origin',
    ],
    [
      'another has more connections of the same speed',
      fetched({ at: speed(10 * mb, 1), otherTitle: speed(40 * mb, 4) }),
      'singleConnection',
    ],
    ['the client asks for little', fetched({ at: speed(10 * mb, 0.2) }), 'clientNetwork'],
    [
      'the proxy waits for the origin, and the line is empty',
      fetched({ at: speed(10 * mb, 4), originShare: 0.99, lineBytesPerSecond: 100 * mb }),
      'origin',
    ],
    [
      'the same with one connection',
      fetched({ at: speed(10 * mb, 1), originShare: 0.99, lineBytesPerSecond: 100 * mb }),
      'singleConnection',
    ],
    ['nothing to compare with', fetched({}), 'notEnoughData'],
    ['far faster than others', fetched({ otherTitle: speed(mb) }), 'notEnoughData'],
  ])('%s', (_, given, verdict) => expect(judge(given).verdict).toBe(verdict as never))
})

describe('from the cache', () => {
  test.each<[string, Figures, string]>([
    ['another client is faster', figures({ otherClient: speed(30 * mb) }), 'clientNetwork'],
    [
      'another client is faster, and the disk is busy',
      figures({ otherClient: speed(30 * mb), disk: busy }),
      'clientNetwork',
    ],
    [
      'another client has more connections',
      figures({ at: speed(10 * mb, 1), otherClient: speed(60 * mb, 6) }),
      'singleConnection',
    ],
    ['the disk is busy', figures({ disk: busy }), 'cacheDisk'],
    [
      'the disk is busy at full speed',
      figures({ disk: busy, bestCacheBytesPerSecond: mb }),
      'none',
    ],
    ['processors wait', figures({ disk: { busy: null, waiting: 0.3 } }), 'cacheDisk'],
    ['slow for two clients', figures({ otherClient: speed(11 * mb), ...bestOfBoth }), 'cacheDisk'],
    [
      'slow for two clients of which one always was, as over a radio network',
      figures({ otherClient: speed(11 * mb), ...bestOfBoth, clientBestBytesPerSecond: 12 * mb }),
      'notEnoughData',
    ],
    [
      'slow for two clients while the disk rests',
      figures({ otherClient: speed(11 * mb), ...bestOfBoth, disk: idle }),
      'notEnoughData',
    ],
    ['as fast as ever', figures({ bestCacheBytesPerSecond: 11 * mb }), 'none'],
    ['alone', figures({ bestCacheBytesPerSecond: 100 * mb }), 'notEnoughData'],
    [
      'the client asks for little',
      figures({ at: speed(10 * mb, 0.2), disk: idle }),
      'clientNetwork',
    ],
    ['or its disk blocks nginx', figures({ at: speed(10 * mb, 0.2) }), 'notEnoughData'],
    ['files had expired', figures({ expiredShare: 0.9 }), 'revalidation'],
    [
      'files had expired, at full speed',
      figures({ expiredShare: 0.9, bestCacheBytesPerSecond: 11 * mb }),
      'none',
    ],
  ])('%s', (_, given, verdict) => expect(judge(given).verdict).toBe(verdict as never))
})

test('says why there is no verdict', () => {
  expect(judge(figures({ requests: 0 }))).toEqual({ verdict: 'notEnoughData', reason: 'notInLog' })
  for (const less of [
    { seconds: enough.seconds - 0.1 },
    { bytes: enough.bytes - 1 },
    { requests: enough.requests - 1 },
  ]) {
    const short = { verdict: 'notEnoughData', reason: 'short' } as const
    expect(judge(figures({ ...less, disk: busy, expiredShare: 1 }))).toEqual(short)
  }
  expect(judge(figures())).toEqual({ verdict: 'notEnoughData', reason: 'alone' })
})

/** Every combination of values on both sides of every threshold. */
function* everySituation(): Generator<Figures> {
  const speeds = [
    ...[2, 9, 15, 25, 50].map((rate) => speed(rate * mb)),
    ...[0.3, 1, 4].flatMap((count) => [5, 10, 40].map((rate) => speed(rate * mb, count))),
  ]
  const others = [null, speed(12 * mb), speed(45 * mb), speed(12 * mb, 4), speed(45 * mb, 5)]
  for (const internetShare of [0, 0.19, 0.2, 1])
    for (const expiredShare of [0, 0.6])
      for (const originShare of [null, 0.5, 0.9])
        for (const at of speeds)
          for (const other of others)
            for (const limit of [null, 11 * mb, 100 * mb])
              for (const disk of [null, idle, busy]) {
                yield figures({
                  internetShare,
                  expiredShare,
                  originShare,
                  at,
                  disk,
                  otherClient: other,
                  otherTitle: other,
                  lineBytesPerSecond: limit,
                  bestCacheBytesPerSecond: limit,
                  clientBestBytesPerSecond: limit,
                  otherClientBestBytesPerSecond: limit,
                })
              }
}

/** The same situation in a network of another speed. */
function scaled(value: Figures, by: number): Figures {
  const text = JSON.stringify(value, (key, one: unknown) =>
    typeof one === 'number' && /bytes/i.test(key) ? one * by : one,
  )
  // What was written as this type.
  return JSON.parse(text) as Figures
}

test('only proportions decide, and each verdict has what proves it', () => {
  const reached = new Set<string>()
  for (const given of everySituation()) {
    const { verdict, reason } = judge(given)
    reached.add(verdict)
    const faster = judge(scaled(given, 3))
    expect(faster.verdict).toBe(verdict)
    expect(reason === null).toBe(verdict !== 'notEnoughData')
    const { own, otherClient, otherTitle, internetShare } = given
    if (verdict === 'singleConnection') expect(own.connections).not.toBeNull()
    if (verdict === 'origin') {
      expect(otherTitle !== null || given.lineBytesPerSecond !== null).toBe(true)
      expect(given.internetBytesPerSecond).toBeLessThan(given.lineBytesPerSecond ?? Infinity)
    }
    if (verdict === 'cacheDisk') expect(internetShare < 0.2 && given.disk !== idle).toBe(true)
    if (verdict === 'clientNetwork' && otherClient === null) {
      expect(own.connections ?? 1).toBeLessThan(0.5)
    }
    if (verdict === 'revalidation') expect(given.expiredShare).toBeGreaterThan(0.5)
  }
  expect([...reached].sort()).toEqual([...verdicts].sort())
})
