import { describe, expect, test } from 'bun:test'
import { proofsOf, serviceOfHost, suspectsOf, type CacheNames, type DnsAnswer } from './radar.ts'
import { dayMs, silenceOf } from './silence.ts'
import type { UseRow } from './store.ts'

const hourMs = 3_600_000
const today = 20_000
const at = (day: number, hour = 20) => day * dayMs + hour * hourMs
/** Numbers from 0 to 1 that are the same in every run. */
function randoms(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('silence', () => {
  test('is never one while it is no longer than the longest break before', () => {
    const random = randoms(7)
    let silent = 0
    for (let run = 0; run < 2000; run++) {
      const share = random()
      const days = range(today - 70, today).filter(() => random() < share)
      if (days.length === 0) continue
      const last = days.at(-1) ?? 0
      const lastAtMs = at(last, Math.floor(random() * 24))
      const recent = days.filter((day) => day > last - 60)
      const longest = Math.max(0, ...recent.map((day, index) => day - (recent[index - 1] ?? day)))
      const nowMs = lastAtMs + random() * 60 * dayMs
      const found = silenceOf(days, lastAtMs, nowMs)
      // The order of days and repeated days say nothing.
      expect(silenceOf([...days, ...days].toReversed(), lastAtMs, nowMs)).toEqual(found)
      if (found === null) continue
      silent++
      expect(nowMs - lastAtMs).toBeGreaterThan(longest * dayMs)
      expect(found.usualBreakDays).toBe(longest)
      expect(recent.length).toBeGreaterThanOrEqual(6)
      // Once silent, it stays so until it counts as gone.
      const later = silenceOf(days, lastAtMs, Math.min(nowMs + dayMs, lastAtMs + 45 * dayMs))
      expect(later).not.toBeNull()
    }
    expect(silent).toBeGreaterThan(200)
  })

  test('who plays at weekends only is awaited on every day of the week', () => {
    const isWeekend = (day: number) => [2, 3].includes(day % 7)
    for (const now of range(today - 7, today)) {
      const days = range(now - 50, now).filter(isWeekend)
      const last = days.at(-1) ?? 0
      for (const hour of [0, 5, 12, 23]) expect(silenceOf(days, at(last), at(now, hour))).toBeNull()
    }
    const lastSunday = range(today - 20, today - 15).findLast(isWeekend) ?? 0
    const days = range(lastSunday - 50, lastSunday).filter(isWeekend)
    expect(silenceOf(days, at(lastSunday), at(lastSunday + 13))).not.toBeNull()
  })

  test('an evening is the same evening in every time zone', () => {
    // Daily at 23:30 in a zone east or west of UTC: the days in UTC differ, the verdict does not.
    for (const offset of [-12, -7, 0, 1, 2, 5.5, 14]) {
      const moments = range(today - 30, today).map((day) => day * dayMs + (23.5 - offset) * hourMs)
      const days = moments.map((moment) => Math.floor(moment / dayMs))
      const last = moments.at(-1) ?? 0
      expect(silenceOf(days, last, last + 3.9 * dayMs)).toBeNull()
      expect(silenceOf(days, last, last + 4.1 * dayMs)).toEqual({ days: 4, usualBreakDays: 1 })
      // The hour that a change to or from summer time adds.
      expect(silenceOf(days, last, last + 4 * dayMs + hourMs)).not.toBeNull()
      expect(silenceOf(days, last, last + 4 * dayMs - hourMs)).toBeNull()
    }
  })
})

const row = (client: string, service: string, days: number[], hour = 20): UseRow => ({
  client,
  service,
  days,
  lastAtMs: at(Math.max(...days), hour),
})
const daily = (from: number, to: number) => range(today - from, today - to)
const names: CacheNames = {
  addresses: new Set(['192.168.1.10', 'fd00::10']),
  services: new Map([
    ['lancache.steamcontent.com', 'steam'],
    ['*.steamcontent.com', 'steam'],
    ['level3.blizzard.com', 'blizzard'],
  ]),
  missed: new Set(['riot']),
}
const answer = (part: Partial<DnsAnswer> = {}): DnsAnswer => ({
  client: '10.0.0.1',
  host: 'lancache.steamcontent.com',
  atMs: at(today),
  type: 'A',
  addresses: ['203.0.113.7'],
  upstream: null,
  ...part,
})

const regular = row('10.0.0.9', 'steam', daily(60, 0))
const situations: [
  string,
  { rows: UseRow[]; answers?: DnsAnswer[]; isChecked?: boolean },
  object[],
][] = [
  ['everybody comes', { rows: [regular, row('10.0.0.1', 'steam', daily(60, 1))] }, []],
  [
    'one has stopped',
    { rows: [regular, row('10.0.0.1', 'steam', daily(60, 10))] },
    [{ client: '10.0.0.1', isSilent: true, services: ['steam'], usualBreakDays: 1, proof: null }],
  ],
  [
    'everybody has stopped: the cache is away',
    { rows: [row('10.0.0.9', 'steam', daily(60, 10)), row('10.0.0.1', 'steam', daily(60, 10))] },
    [],
  ],
  ['one alone has stopped', { rows: [row('10.0.0.1', 'steam', daily(60, 10))] }, []],
  ['a guest of some days', { rows: [regular, row('10.0.0.1', 'steam', daily(14, 10))] }, []],
  ['one that has left', { rows: [regular, row('10.0.0.1', 'steam', daily(90, 50))] }, []],
  [
    'a service is missing that others get',
    {
      rows: [
        regular,
        row('10.0.0.1', 'steam', daily(60, 12)),
        row('10.0.0.1', 'blizzard', daily(60, 1)),
      ],
    },
    [{ client: '10.0.0.1', isSilent: false, services: ['steam'], usualBreakDays: null }],
  ],
  [
    'a service is missing that nobody else gets',
    {
      rows: [
        regular,
        row('10.0.0.1', 'riot', daily(60, 12)),
        row('10.0.0.1', 'blizzard', daily(60, 1)),
      ],
    },
    [],
  ],
  [
    "the network's DNS does not lead to the cache",
    { rows: [regular, row('10.0.0.1', 'riot', daily(60, 10))] },
    [{ hint: 'networkDns' }],
  ],
  [
    'no status check has run',
    {
      rows: [regular, row('10.0.0.1', 'steam', daily(60, 10))],
      answers: [answer()],
      isChecked: false,
    },
    [{ hint: null, proof: null }],
  ],
  [
    'a stranger got another address',
    { rows: [regular], answers: [answer()] },
    [
      {
        client: '10.0.0.1',
        isSilent: false,
        lastAtMs: null,
        services: ['steam'],
        proof: { kind: 'address', address: '203.0.113.7', host: 'lancache.steamcontent.com' },
        hint: 'ownDns',
      },
    ],
  ],
  [
    'a later answer leads to the cache',
    {
      rows: [regular],
      answers: [
        answer({ atMs: at(today, 21), addresses: ['192.168.1.10'] }),
        answer({ atMs: at(today, 20) }),
      ],
    },
    [],
  ],
  [
    'content came after the answer',
    { rows: [row('10.0.0.1', 'steam', daily(3, 0), 21)], answers: [answer()] },
    [],
  ],
  [
    'content came before the answer',
    { rows: [row('10.0.0.1', 'steam', daily(3, 0), 19)], answers: [answer()] },
    [{ client: '10.0.0.1', isSilent: false, lastAtMs: at(today, 19) }],
  ],
]

test.each(situations)('%s', (_, { rows, answers = [], isChecked = true }, expected) => {
  const found = suspectsOf({ rows, answers, names: isChecked ? names : null, nowMs: at(today, 22) })
  expect(found).toMatchObject(expected)
  expect(found).toHaveLength(expected.length)
})

test.each<[string, Partial<DnsAnswer>, string | undefined]>([
  ['a public address', {}, 'address'],
  ['a public IPv6 address', { type: 'AAAA', addresses: ['2001:db9::1'] }, 'ipv6'],
  ["the cache's IPv6 address", { type: 'AAAA', addresses: ['fd00::10'] }, undefined],
  ['one of several is the cache', { addresses: ['203.0.113.7', '192.168.1.10'] }, undefined],
  [
    'another address of the network, perhaps a second cache',
    { addresses: ['10.9.9.9'] },
    undefined,
  ],
  ['a blocked name', { addresses: ['0.0.0.0'] }, undefined],
  ['a blocked name in IPv6', { type: 'AAAA', addresses: ['::'] }, undefined],
  ['no address at all', { addresses: [] }, undefined],
  ['a public server was asked', { addresses: [], upstream: '9.9.9.9' }, 'upstream'],
  ["the cache's DNS was asked", { addresses: [], upstream: '192.168.1.10' }, undefined],
  ['a resolver on the same machine was asked', { addresses: [], upstream: '127.0.0.1' }, undefined],
  ['a name of something else', { host: 'www.example.org' }, undefined],
  ['a name below a wildcard', { host: 'cache1-fra.steamcontent.com' }, 'address'],
])('%s', (_, part, kind) => {
  expect(proofsOf([answer(part)], names).get('10.0.0.1')?.kind).toBe(kind as never)
})

test('names are found in any case, and not beside a wildcard', () => {
  expect(serviceOfHost('LANCACHE.steamcontent.com.', names)).toBe('steam')
  expect(serviceOfHost('steamcontent.com', names)).toBeNull()
  expect(serviceOfHost('evilsteamcontent.com', names)).toBeNull()
  expect(serviceOfHost('a.level3.blizzard.com', names)).toBeNull()
})
