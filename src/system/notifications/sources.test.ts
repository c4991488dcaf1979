import { beforeEach, describe, expect, test } from 'bun:test'
import { HistoryUnavailable } from '../../../db/history/history.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { reportApp } from '../../../test/support/report-app.ts'
import type { DataCapUse } from '../../core/lib/data-cap.ts'
import type { NodeView } from '../../nodes/contract.ts'
import { createChecks } from './checks.ts'
import { createConditions, type Notice } from './conditions.ts'
import { createSources } from './sources.ts'
import type { Message } from './message.ts'
import { createNoticeTexts } from './texts.ts'

let raised: Message[] = []
let isWanted = true
let days: number | null = 100
let roomBytes = 500
let nodes: Pick<NodeView, 'name' | 'state' | 'since'>[] = []
let scans: object[] = []
let ingest: object = {}
let positions: object[] = []
let historyState = 'ready'
let isExpired = false
let use: DataCapUse | null = null
let check = () => Promise.resolve()
let checkDns = () => {}
let lastCheck: object | null = null
let cacheIp: string | null = '10.0.0.2'
let checksBegun = 0

const well = { state: 'following', message: null, outbox: { isStuck: false } }

/** The sources on the real registry and settings; what they ask of others is set by the tests. */
const app = await reportApp()
const others = {
  history: { status: () => ({ state: historyState, since: new Date(0), message: null }) },
  snapshots: {
    forecast: () =>
      Promise.resolve({ daysUntilFull: days, reason: null, roomBytes, totalBytes: 1000 }),
  },
  nodes: { list: () => nodes },
  cache: { corruption: { scans: () => Promise.resolve(scans) }, damagedCopy: () => null },
  logs: { status: () => ingest, positions: () => Promise.resolve(positions) },
  schedules: {
    register({ serviceKey, run }: { serviceKey: string; run: () => Promise<void> }) {
      if (serviceKey === 'notificationChecks') check = run
      else checkDns = () => void run()
    },
  },
  hasExpiredLogin: () => isExpired,
  readDataCap: () => Promise.resolve(use),
}
// The rest is unused.
const parts = { ...app.deps, ...others } as unknown as Parameters<typeof createSources>[0]
const raise = (message: Message) => void raised.push(message)
const statusCheck = {
  lastResult: () => lastCheck,
  startSilently: () => void checksBegun++,
} as unknown as Parameters<typeof createSources>[1]['statusCheck']
const texts = createNoticeTexts(() => 'en')
createSources(parts, { isWanted: () => isWanted, raise, statusCheck, texts }).start()
beforeEach(() => {
  raised = []
  isWanted = true
  days = 100
  roomBytes = 500
  nodes = []
  scans = []
  ingest = well
  positions = []
  historyState = 'ready'
  isExpired = false
  use = null
  cacheIp = '10.0.0.2'
  app.deps.settings.clear('notifications.conditions')
  app.deps.settings.clear('notifications.rules')
})

const titles = () => raised.map(({ title }) => title)

test('the mark of the monthly volume is notified once a month, and again after it was raised', async () => {
  const month = (number: number, usedBytes: number, pausePercent: number | null = 90) => ({
    from: new Date(Date.UTC(2027, number, 1)),
    until: new Date(Date.UTC(2027, number + 1, 1)),
    usedBytes,
    capBytes: 1000,
    pausePercent,
    isReached: pausePercent !== null && usedBytes >= pausePercent * 10,
  })
  const marked = [
    month(1, 890),
    month(1, 900),
    month(1, 990),
    month(1, 990, 100),
    month(1, 1020, 100),
  ]
  for (use of [null, month(1, 2000, null), ...marked]) await check()
  const text = (percent: number) => `${percent} % of the monthly volume are used`
  expect(titles()).toEqual([text(90), text(102)])
  expect(raised[0]?.text).toBe('Prefill pauses until 01/03/2027, or until the mark is raised.')
  for (use of [month(2, 950), month(2, 960)]) await check()
  expect(titles()).toEqual([text(90), text(102), text(95)])
})

describe('the forecast', () => {
  test('is notified once, and again after it was better', async () => {
    for (days of [100, 14, 12, 16, 11]) await check()
    expect(titles()).toEqual(['Days until the cache is full: 14'])
    for (days of [18, 13]) await check()
    expect(titles()).toEqual([
      'Days until the cache is full: 14',
      'Days until the cache is full: 13',
    ])
  })

  test('of a full cache is a message of its own', async () => {
    for (days of [3, 0, 0]) await check()
    expect(titles()).toEqual(['Days until the cache is full: 3', 'The cache is full'])
  })

  test('of a cache that evicts is not repeated until it has space again', async () => {
    for (const [now, room] of [
      [0, 4],
      [null, 6],
      [0, 3],
      [2, 15],
      [0, 2],
    ] as const) {
      ;[days, roomBytes] = [now, room]
      await check()
    }
    expect(titles()).toEqual(['The cache is full'])
    for (const [now, room] of [
      [null, 300],
      [0, 4],
    ] as const) {
      ;[days, roomBytes] = [now, room]
      await check()
    }
    expect(titles()).toEqual(['The cache is full', 'The cache is full'])
  })

  test('is left alone without a rule, and without a target', async () => {
    days = 1
    isWanted = false
    await check()
    isWanted = true
    const rules = app.deps.settings.get('notifications.rules')
    app.deps.settings.set('notifications.rules', { ...rules, diskDays: null })
    await check()
    expect(raised).toEqual([])
  })
})

describe('the service', () => {
  test('that counts nothing is notified at the second check, once', async () => {
    ingest = { ...well, state: 'mismatch', message: 'the history is foreign' }
    await check()
    expect(raised).toEqual([])
    await check()
    await check()
    expect(raised).toMatchObject([
      {
        kind: 'serviceTrouble',
        title: 'Larder does not count downloads',
        text: 'Logs are not read: the history is foreign.',
      },
    ])
    ingest = well
    await check()
    ingest = { ...well, outbox: { isStuck: true } }
    for (let n = 0; n < 2; n++) await check()
    expect(raised.at(-1)?.text).toBe('Rows cannot be sent to the database.')
  })

  test('that counts on without its database pauses only the reports, until it is back', async () => {
    historyState = 'unavailable'
    ingest = { ...well, outbox: { isStuck: true } }
    for (let n = 0; n < 2; n++) await check()
    expect(raised).toMatchObject([
      { title: 'Reports are paused', text: 'The database is unavailable.' },
    ])
    ;[historyState, ingest] = ['ready', well]
    for (let n = 0; n < 3; n++) await check()
    expect(raised.slice(1)).toMatchObject([{ title: 'Everything works again', isProblem: false }])
  })

  test('that leaves out old log files still counts downloads', async () => {
    positions = [{ datasource: 'main', problem: 'too_many_files' }]
    for (let n = 0; n < 2; n++) await check()
    expect(titles()).toEqual(['Old log files are not read'])
  })

  test('is not notified anew because of hundreds of new builds', async () => {
    historyState = 'unavailable'
    for (let n = 0; n < 2; n++) await check()
    const conditions = createConditions(app.deps.settings, () => {})
    const builds = Array.from({ length: 500 }, (_, n) => [`build ${n}`, 'new'])
    const { settings } = app.deps
    const held = settings.get('notifications.conditions')
    settings.set('notifications.conditions', { ...held, ...Object.fromEntries(builds) })
    conditions.note('build 500', 'new')
    for (let n = 0; n < 2; n++) await check()
    expect(titles()).toEqual(['Reports are paused'])
    expect([conditions.known('build 0'), conditions.known('build 1')]).toEqual([undefined, 'new'])
  })

  test('is notified of each node that goes away once, also over a restart', async () => {
    const raise = (notice: Notice) => void raised.push({ ...notice, raisedAt: app.time.now() })
    const begin = () =>
      createChecks(
        parts,
        createConditions(app.deps.settings, raise),
        createNoticeTexts(() => 'en'),
      )
    const after = async (checks: ReturnType<typeof createChecks>, ...away: string[]) => {
      nodes = ['attic', 'barn'].map((name) => ({
        name,
        state: away.includes(name) ? 'away' : 'connected',
        since: new Date(0),
      }))
      for (let n = 0; n < 2; n++) await checks.service()
      return raised.splice(0).map(({ title, text }) => `${title}: ${text}`)
    }
    const [first, second] = [begin(), begin()]
    const news = (name: string) => [`Figures of caches are missing: The node ${name} is away.`]
    await first.service()
    expect(await after(first, 'attic')).toEqual(news('attic'))
    expect(await after(first, 'attic', 'barn')).toEqual(news('barn'))
    expect(await after(first, 'barn')).toEqual([])
    // A restart: at its first check the service does not know yet what is away.
    nodes = []
    await second.service()
    expect(await after(second, 'barn')).toEqual([])
    expect(await after(second)).toEqual(['Everything works again: '])
    expect(await after(second, 'barn')).toEqual(news('barn'))
  })

  test('before its set-up has no trouble', async () => {
    ingest = { ...well, state: 'awaiting_setup' }
    for (let n = 0; n < 3; n++) await check()
    expect(raised).toEqual([])
  })
})

describe('corrupted files', () => {
  const scan = async (counts: Record<string, number>) => {
    scans = [
      { method: 'structural', isCurrent: true, counts },
      { method: 'structural', isCurrent: false, counts: { steam: 99 } },
    ]
    const before = app.operations.recent({ limit: 100 }).length
    app.operations.submit({
      type: 'corruptionDetection',
      scope: 'bulk',
      name: 'Full check of all cache files',
      run: () => Promise.resolve({ kind: 'completed' }),
    })
    await eventually(
      () => app.operations.recent({ limit: 100 }).length > before,
      'the scan is over',
    )
    await app.time.advance(11_000)
  }

  test('are notified when a scan finds some, and when their number changes', async () => {
    await scan({ steam: 0 })
    await scan({ steam: 2, riot: 1 })
    await scan({ steam: 2, riot: 1 })
    await scan({ steam: 4 })
    expect(raised).toMatchObject([
      { kind: 'corruptionFound', title: 'Corrupted files found: 3', text: 'steam: 2\nriot: 1' },
      { title: 'Corrupted files found: 4' },
    ])
  })
})

describe('DNS', () => {
  const checked = async (isReachable: boolean, ...statuses: string[]) => {
    lastCheck = {
      heartbeat: { reachable: isReachable, cacheIp },
      services: statuses.map((status, index) => ({ service: `service${index}`, status })),
    }
    const done = Promise.withResolvers<void>()
    app.operations.onChange(() => done.resolve())
    const { operationId } = app.operations.submit({
      type: 'statusCheck',
      scope: 'bulk',
      name: 'Status check',
      run: () => Promise.resolve({ kind: 'completed' }),
    })
    await done.promise
    await eventually(
      () => app.operations.get(operationId)?.status === 'completed',
      'the check is over',
    )
    await app.time.advance(11_000)
  }

  test('is notified when domains stop leading to the cache, not when they never did', async () => {
    await checked(true, 'unresolved', 'unresolved', 'disabled')
    // The last two are not led to the cache here.
    await checked(true, 'resolved', 'resolved', 'unresolved', 'disabled')
    await checked(true, 'resolved', 'partial', 'unresolved', 'disabled')
    await checked(true, 'resolved', 'unresolved', 'partial', 'disabled')
    expect(raised).toMatchObject([
      { kind: 'dnsBroken', title: 'Domains no longer lead to the cache', text: 'service1' },
    ])
    await checked(true, 'resolved', 'resolved')
    for (let n = 0; n < 2; n++) await checked(false, 'unverified', 'resolved')
    expect(raised.at(-1)).toMatchObject({ title: 'The cache does not answer', text: '' })
    expect(raised).toHaveLength(2)
  })

  test('that leaves no way to the cache is notified as such, not as a silent cache', async () => {
    await checked(true, 'resolved')
    cacheIp = null
    await checked(false, 'unresolved')
    expect(raised).toMatchObject([
      { title: 'Domains no longer lead to the cache', text: 'service0' },
    ])
  })

  test('is checked on a schedule while someone is notified of it', () => {
    checksBegun = 0
    checkDns()
    isWanted = false
    checkDns()
    isWanted = true
    const rules = app.deps.settings.get('notifications.rules')
    app.deps.settings.set('notifications.rules', { ...rules, dns: false })
    checkDns()
    expect(checksBegun).toBe(1)
  })
})

test('a sign-in to Steam that has expired is notified once', async () => {
  isExpired = true
  await check()
  await check()
  expect(titles()).toEqual(['The sign-in to Steam has expired'])
})

const runJob = async (error: string | Error | null) => {
  const before = app.operations.recent({ limit: 100, includeSilent: true }).length
  app.operations.submit({
    type: 'evictionScan',
    scope: 'bulk',
    name: 'Eviction scan',
    isSilent: true,
    run() {
      if (error instanceof Error) return Promise.reject(error)
      return Promise.resolve(error === null ? { kind: 'completed' } : { kind: 'failed', error })
    },
  })
  await eventually(
    () => app.operations.recent({ limit: 100, includeSilent: true }).length > before,
    'the job is over',
  )
}

test('a job that fails again with the same reason is notified once, until it succeeds', async () => {
  for (const error of ['a', 'a', 'b', 'b', null, 'b']) await runJob(error)
  expect(raised.map(({ text }) => text)).toEqual(['a', 'b', 'b'])
})

describe('a job that failed without the database', () => {
  const text = 'no history'
  const away = new HistoryUnavailable(text)

  test('is not notified beside the outage', async () => {
    historyState = 'unavailable'
    await runJob(away)
    for (let n = 0; n < 3; n++) await check()
    await runJob(away)
    for (let n = 0; n < 2; n++) await check()
    expect(titles()).toEqual(['Reports are paused'])
  })

  test('is notified if the outage was too short to be, or is not to be', async () => {
    for (historyState of ['ready', 'unavailable']) await check()
    await runJob(away)
    expect(raised).toEqual([])
    historyState = 'ready'
    await check()
    expect(raised.map((one) => one.text)).toEqual([text])
    await runJob(null)
    historyState = 'unavailable'
    const rules = app.deps.settings.get('notifications.rules')
    app.deps.settings.set('notifications.rules', { ...rules, service: false })
    await runJob(away)
    expect(raised.map((one) => one.text)).toEqual([text, text])
  })
})
