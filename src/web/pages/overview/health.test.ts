import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import type { CacheInfo, ServiceStatus, SystemConfig } from '../../api/queries.ts'
import { momentText } from '../../format/times.ts'
import { consequenceOf, healthItems } from './health.ts'

const outbox = {
  downloads: 0,
  trafficRows: 0,
  lagSeconds: 0,
  bytes: 0,
  lastShippedAt: null,
  lastError: null,
  isStuck: false,
  quarantined: 0,
}
const source = {
  name: 'default',
  logPath: '/logs',
  problem: 'none',
  message: null,
  backlogBytes: 0,
} as const
// The fixtures have the members that the health line reads.
const fine = {
  version: '1',
  isHealthy: true,
  ingest: {
    state: 'following',
    message: null,
    mismatch: null,
    backlogBytes: 0,
    lagMs: 400,
    outbox,
    limits: [],
  },
  history: { mode: 'embedded', state: 'ready', message: null },
  cacheIndex: { damagedCopy: null },
  datasources: [source],
  nodesAway: [],
  names: { problem: null },
  dns: null,
} as unknown as ServiceStatus
const cache = {
  totalCacheSize: 10,
  configuredCacheSize: 0,
  driveCapacity: 10,
  usedCacheSize: 1,
  freeCacheSize: 9,
  usagePercent: 10,
  hasCacheScan: false,
  cacheScanTotalBytes: 0,
  driveState: 'ok',
} as CacheInfo
const datasource = {
  name: 'default',
  cachePath: '/cache',
  logsPath: '/logs',
  cacheWritable: true,
  logsWritable: true,
  enabled: true,
} as SystemConfig['dataSources'][number]
const config = { timeZone: 'UTC', dataPath: '/data', dataSources: [datasource] } as SystemConfig
const of = (status: ServiceStatus) => healthItems(status, cache, config)

afterEach(() => void setSystemTime())

describe('health line', () => {
  test('is quiet when everything works', () => {
    const items = of(fine)
    expect(items.map(({ id, tone }) => `${id} ${tone}`)).toEqual([
      'log good',
      'history good',
      'disk good',
      'dns quiet',
    ])
    expect(items.some(({ remedy }) => remedy !== undefined)).toBe(false)
  })

  test('names every node that is away, and since when', () => {
    const away = { name: 'nas', sinceUtc: '2026-11-26T12:00:00.000Z' }
    expect(of({ ...fine, nodesAway: [away] })).toContainEqual({
      id: 'node nas',
      tone: 'bad',
      label: {
        key: 'health.nodeAway',
        values: { name: 'nas', time: momentText(new Date(away.sinceUtc), new Date()) },
      },
      remedy: { key: 'remedy.nodeAway' },
      detail: null,
    })
  })

  test('says of each failing part what it means, and nothing of what is not its fault', () => {
    expect(consequenceOf({ id: 'node nas' })).toBe('consequence.node')
    expect(consequenceOf({ id: 'outbox' })).toBe('consequence.history')
    expect(consequenceOf({ id: 'quarantine' })).toBeNull()
  })

  const sourceProblems = [
    'missing_directory',
    'permission_denied',
    'no_sources',
    'unreadable_file',
    'too_many_files',
  ] as const

  test.each(sourceProblems)('a log with %s is a failure with a remedy', (problem) => {
    const [log] = of({
      ...fine,
      datasources: [{ ...source, lastRunTerminalStatus: '', problem, message: 'why' }],
    })
    expect(log).toMatchObject({
      tone: 'bad',
      detail: 'why',
      remedy: { values: { path: '/logs' } },
    })
  })

  test('a mismatch gives the reason and offers choices, even without a datasource', () => {
    const ingest: ServiceStatus['ingest'] = {
      ...fine.ingest,
      state: 'mismatch',
      message: 'why',
      mismatch: { reason: 'historyEmpty', choices: ['goOn', 'rebuild'] },
    }
    const [log] = of({ ...fine, datasources: [], ingest })
    expect(log).toMatchObject({ tone: 'bad', detail: 'why', choices: ['goOn', 'rebuild'] })
  })

  test('a rebuilding index says where the damaged copy is', () => {
    const items = of({ ...fine, cacheIndex: { damagedCopy: '/data/cache.sqlite.damaged' } })
    const index = items.find(({ id }) => id === 'index')
    expect(index).toMatchObject({ tone: 'quiet', detail: '/data/cache.sqlite.damaged' })
    expect(of(fine).some(({ id }) => id === 'index')).toBe(false)
  })

  test.each(['paused_outbox_full', 'storage_failed', 'storage_damaged', 'stopped'] as const)(
    'ingestion that is %s has a remedy',
    (state) => {
      const [log] = of({ ...fine, ingest: { ...fine.ingest, state } })
      expect(log?.tone).toBe('bad')
      expect(log?.remedy).toBeDefined()
    },
  )

  test('catching up is no failure', () => {
    const ingest = { ...fine.ingest, state: 'reading', backlogBytes: 5, lagMs: 99_000 } as const
    expect(of({ ...fine, ingest })[0]?.tone).toBe('quiet')
  })

  test('a starting database is quiet, an unavailable one is not', () => {
    const state = (name: ServiceStatus['history']['state']) =>
      of({ ...fine, history: { ...fine.history, state: name } }).find(({ id }) => id === 'history')
    expect(state('starting')).toMatchObject({
      tone: 'quiet',
      label: { key: 'health.historyStarting' },
    })
    expect(state('copying')).toMatchObject({
      tone: 'quiet',
      label: { key: 'health.historyCopying' },
    })
    expect(state('migrating')?.label.key).toBe('health.historyUpdating')
    expect(state('unavailable')).toMatchObject({ tone: 'bad', remedy: { key: 'remedy.history' } })
  })

  test('long-queued rows are reported', () => {
    const ingest = { ...fine.ingest, outbox: { ...outbox, lagSeconds: 500, lastError: 'full' } }
    const item = of({ ...fine, ingest }).find(({ id }) => id === 'outbox')
    expect(item).toMatchObject({ tone: 'quiet', detail: 'full' })
  })

  test('stuck shipping is a failure and names the cause', () => {
    const stuck = { ...outbox, isStuck: true, lastError: 'no space' }
    const item = of({ ...fine, ingest: { ...fine.ingest, outbox: stuck } }).find(
      ({ id }) => id === 'outbox',
    )
    expect(item).toMatchObject({ tone: 'bad', detail: 'no space', label: { key: 'health.stuck' } })
    expect(item?.remedy).toBeDefined()
  })

  test('quarantined rows and reached limits are reported', () => {
    const at = '2026-11-20T12:00:00.000Z'
    const limits = [{ limit: 'servicesOfDay', value: 200, subject: '2026-11-20', at } as const]
    const ingest = { ...fine.ingest, outbox: { ...outbox, quarantined: 3 }, limits }
    const items = of({ ...fine, ingest })
    expect(items.find(({ id }) => id === 'quarantine')?.label.values).toEqual({ count: 3 })
    const limit = items.find(({ id }) => id === 'servicesOfDay')
    expect(limit).toMatchObject({ tone: 'attention', detail: '2026-11-20 200' })
  })

  test('a read-only or missing cache needs attention', () => {
    const readOnly = { ...config, dataSources: [{ ...datasource, cacheWritable: false }] }
    expect(healthItems(fine, cache, readOnly)[2]?.label.key).toBe('health.readOnly')
    const missing = { ...cache, totalCacheSize: 0 }
    expect(healthItems(fine, missing, config)[2]?.label.key).toBe('health.noCache')
    const vanished = { ...missing, driveState: 'vanished' }
    expect(healthItems(fine, vanished, config)[2]?.remedy).toEqual({
      key: 'remedy.diskAway',
      values: { path: '/cache' },
    })
    const ids = healthItems(fine, null, config).map(({ id }) => id)
    expect(ids).toEqual(['log', 'history', 'dns'])
  })

  test('only what somebody can put right is coloured', () => {
    const at = '2026-11-20T12:00:00.000Z'
    const states = ['following', 'reading', 'starting', 'awaiting_setup', 'mismatch'] as const
    const limits = [{ limit: 'titlesOfDay', value: 1, subject: '', at } as const]
    const outboxes = [outbox, { ...outbox, lagSeconds: 500 }, { ...outbox, quarantined: 1 }]
    const sources = [datasource, { ...datasource, cacheWritable: false }]
    const items = states.flatMap((state) =>
      [0, 99_000].flatMap((lagMs) =>
        outboxes.flatMap((rows) =>
          sources.flatMap((one) => {
            const ingest = { ...fine.ingest, state, lagMs, limits, outbox: rows }
            const cacheIndex = { damagedCopy: '/data/cache.sqlite.damaged' }
            const dns = { checkedAtUtc: at, cacheAnswers: true, leadsToCache: false }
            const status = { ...fine, ingest, cacheIndex, dns }
            return healthItems(status, cache, { ...config, dataSources: [one] })
          }),
        ),
      ),
    )
    const coloured = items.filter(({ tone }) => tone === 'attention' || tone === 'bad')
    expect(new Set(coloured.map(({ id }) => id))).toEqual(
      new Set(['log', 'quarantine', 'titlesOfDay', 'dns']),
    )
    expect(coloured.filter(({ remedy }) => remedy === undefined)).toEqual([])
  })

  test('no log folder at all', () => {
    expect(of({ ...fine, datasources: [] })[0]?.label.key).toBe('health.noLog')
  })
})

test('the proxy and DNS are as the last status check found them', () => {
  const checkedAtUtc = '2026-11-01T00:00:00Z'
  const labelsAt = (dns: ServiceStatus['dns'], hours: number) => {
    setSystemTime(Date.parse(checkedAtUtc) + hours * 3_600_000)
    const items = healthItems({ ...fine, dns }, null, undefined)
    return items.slice(2).map(({ tone, label }) => `${tone} ${label.key}`)
  }
  const well = { checkedAtUtc, cacheAnswers: true, leadsToCache: true }
  const unchecked = ['quiet health.unchecked']
  expect(labelsAt(null, 0)).toEqual(unchecked)
  expect(labelsAt(well, 23)).toEqual(['good health.answers', 'good health.dnsWell'])
  expect(labelsAt(well, 25)).toEqual(unchecked)
  const partly = { ...well, leadsToCache: false }
  expect(labelsAt(partly, 25)).toEqual(['attention health.dns'])
  expect(labelsAt({ ...partly, cacheAnswers: false }, 25)).toEqual(['attention health.noAnswer'])
})

test('a failed search for names has a remedy', () => {
  const faulty = { ...fine, names: { problem: 'Steam is away' } }
  const names = healthItems(faulty, null, undefined).at(-1)
  expect(names).toMatchObject({ id: 'names', tone: 'quiet', detail: 'Steam is away' })
})
