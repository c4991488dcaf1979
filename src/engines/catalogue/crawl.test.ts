import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { EResult } from 'steam-session'
import { AlphaCmStandIn } from '../../../test/support/alpha-cm-stand-in.ts'
import { tokenFor } from '../../../test/support/stand-ins/alpha.ts'
import { catalogueStandIns } from '../../../test/support/catalogue-site.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { userAgent } from '../../core/lib/outside.ts'
import type { CrawlKind, CrawlProgress } from './contract.ts'

// The library of Steam's protocol takes seconds to load on a busy machine.
setDefaultTimeout(60_000)

const outside = catalogueStandIns()
outside.pics.apps.set(10, { name: 'Ten', dlc: [12], depots: { 11: { name: 'Ten content' } } })
outside.pics.apps.set(12, { name: 'Ten: More', parent: 10 })
outside.pics.apps.set(20, {
  name: 'Twenty',
  depots: { 21: {}, 99: { from: 90 } },
  isLocked: true,
})
outside.pics.apps.set(90, { name: 'Shared Files', depots: { 99: {} } })
outside.site.appIds = [10, 12, 20, 90]

async function crawl(
  kind: CrawlKind,
  options: { depotIds?: number[]; signal?: AbortSignal; refreshToken?: string } = {},
) {
  const { engine, access, site } = outside
  const reports: CrawlProgress[] = []
  const { refreshToken } = options
  const account = refreshToken === undefined ? null : { refreshToken, logonId: 20_000 }
  const outcome = await engine.crawl(
    {
      kind,
      access: { ...access, account },
      webApi: { baseUrl: site.url, key: null },
      depotIds: options.depotIds ?? [],
    },
    {
      signal: options.signal ?? new AbortController().signal,
      progress: (report) => void reports.push(report),
    },
  )
  return { outcome, reports }
}

const forget = () => {
  outside.site.calls.length = 0
  outside.pics.requests.length = 0
}

describe('a crawl of all apps', () => {
  test('finds depots, owners and names with as few requests as possible', async () => {
    const { outcome, reports } = await crawl('full')
    expect(outcome).toEqual({ kind: 'done', mappings: 4, failedBatches: 0 })
    expect(await outside.engine.names([11, 21, 99, 5])).toEqual([
      { depotId: 11, appId: 10, name: 'Ten', imageUrl: null },
      { depotId: 21, appId: 20, name: 'Twenty', imageUrl: null },
      { depotId: 99, appId: 90, name: 'Shared Files', imageUrl: null },
    ])
    expect(await outside.engine.parents([10, 12, 13])).toEqual([{ appId: 12, parentId: 10 }])
    expect(await outside.engine.users([99])).toEqual([
      { depotId: 99, appId: 20 },
      { depotId: 99, appId: 90 },
    ])
    expect(await outside.engine.status()).toMatchObject({
      depots: 3,
      mappings: 4,
      changeNumber: 1000,
    })
    // One page of the app list, one directory of servers, one connection.
    expect(outside.site.calls).toEqual(['publicList', 'directory'])
    expect(outside.cm.connections).toBe(1)
    // One batch; the locked app once more with its token.
    expect(outside.pics.requests).toEqual([
      { call: 'changes', ids: [0] },
      { call: 'products', ids: [10, 12, 20, 90] },
      { call: 'tokens', ids: [20] },
      { call: 'products', ids: [20] },
    ])
    expect([...outside.site.userAgents]).toEqual([userAgent])
    expect(outside.site.parallel).toBe(1)
    expect(reports.at(-1)).toMatchObject({ processedBatches: 1, totalBatches: 1, totalApps: 4 })
  })

  test('drops mappings that are gone, and writes the list to disk', async () => {
    outside.pics.apps.set(20, { name: 'Twenty', depots: { 99: { from: 90 } } })
    expect((await crawl('full')).outcome).toMatchObject({ kind: 'done', mappings: 3 })
    expect(await outside.engine.names([21])).toEqual([
      // The app before it is known.
      { depotId: 21, appId: 20, name: 'Twenty', imageUrl: null },
    ])
    const { file } = await outside.engine.status()
    const list = (await Bun.file(file.path).json()) as Record<string, Record<string, unknown>>
    expect(list.metadata).toMatchObject({ totalMappings: 3, lastChangeNumber: 1000 })
    expect(list.depotMappings).toMatchObject({
      '11': { ownerId: 10, appIds: [10], appNames: ['Ten'], depotName: 'Ten content' },
      '99': { ownerId: 90, appIds: [90, 20], appNames: ['Shared Files', 'Twenty'] },
    })
  })

  test('without any app list it says what to do, and connects to nothing', async () => {
    outside.site.hasPublicList = false
    forget()
    expect((await crawl('full')).outcome).toEqual({
      kind: 'failed',
      reason: 'The list of all Steam apps needs a Steam Web API key',
      fault: null,
    })
    expect(outside.site.calls).toEqual(['publicList'])
    outside.site.hasPublicList = true
  })
})

describe('an incremental crawl', () => {
  test('asks for changed apps only, and for the apps they mention', async () => {
    outside.pics.changeNumber = 1005
    outside.pics.changed.push({ appId: 30, changeNumber: 1003 })
    outside.pics.apps.set(30, { name: 'Thirty', dlc: [32], depots: { 31: {}, 41: { from: 40 } } })
    outside.pics.apps.set(32, { name: 'Thirty: More' })
    outside.pics.apps.set(40, { name: 'Forty' })
    forget()
    expect((await crawl('incremental')).outcome).toMatchObject({ kind: 'done', mappings: 6 })
    expect(outside.pics.requests).toEqual([
      { call: 'changes', ids: [0] },
      { call: 'changes', ids: [1000] },
      { call: 'products', ids: [30] },
      { call: 'products', ids: [32, 40] },
    ])
    expect(await outside.engine.names([41])).toMatchObject([{ appId: 40, name: 'Forty' }])
    forget()
    await crawl('incremental')
    expect(outside.pics.requests).toEqual([{ call: 'changes', ids: [0] }])
  })

  test('ends when Steam forgot the changes', async () => {
    outside.pics.changeNumber = 5000
    outside.pics.forgottenBefore = 4000
    expect((await crawl('incremental')).outcome).toEqual({ kind: 'fullNeeded' })
    const numbers = await outside.engine.changeNumbers(outside.access, new AbortController().signal)
    expect(numbers).toEqual({
      last: 1005,
      current: 5000,
      fullNeeded: true,
      isAway: false,
      error: null,
      fault: null,
    })
    outside.pics.forgottenBefore = 0
  })
})

describe('a full crawl whose worker is killed', () => {
  test('is continued after the last batch that was stored, and keeps what came before', async () => {
    const { engine, pics, site } = outside
    const ids = Array.from({ length: 500 }, (_, index) => 10_000 + index * 10)
    for (const id of ids) pics.apps.set(id, { name: `App ${id}`, depots: { [id + 1]: {} } })
    const others = [...site.appIds]
    site.appIds = [...others, ...ids]
    forget()
    const { promise, resolve } = Promise.withResolvers<void>()
    Object.assign(pics, { hold: promise, holdAfter: 1 })
    const before = pics.held
    const running = crawl('full').then(
      () => 'ended',
      () => 'killed',
    )
    await eventually(() => pics.held > before, 'the second batch is asked for')
    engine.kill()
    expect(await running).toBe('killed')
    resolve()
    Object.assign(pics, { hold: null, holdAfter: 0 })
    forget()
    const { outcome } = await crawl('full')
    expect(outcome).toMatchObject({ kind: 'done', failedBatches: 0 })
    const asked = pics.requests.flatMap(({ call, ids: list }) => (call === 'products' ? list : []))
    expect(Math.min(...asked)).toBeGreaterThan(10_000)
    // What the change number stands for began with the first part.
    expect(pics.count('changes')).toBe(0)
    const [first, last] = [ids[0] ?? 0, ids.at(-1) ?? 0]
    expect(await engine.names([first + 1, last + 1])).toHaveLength(2)
    site.appIds = others
    for (const id of ids) pics.apps.delete(id)
  })
})

describe('orphans', () => {
  test('are found at the apps beside them; those without one are not asked for again', async () => {
    outside.pics.apps.set(50, { name: 'Fifty', depots: { 51: {}, 52: {} } })
    outside.pics.apps.set(60, { name: 'Sixty', depots: { 60: {} } })
    forget()
    await crawl('needed', { depotIds: [51, 52, 60, 70, 11] })
    expect(await outside.engine.names([51, 52, 60])).toMatchObject([
      { appId: 50, name: 'Fifty' },
      { appId: 50, name: 'Fifty' },
      { appId: 60, name: 'Sixty' },
    ])
    const asked = outside.pics.requests.flatMap(({ ids }) => ids)
    expect(new Set(asked).size).toBe(asked.length)
    expect(asked.length).toBeLessThan(10)
    forget()
    await crawl('needed', { depotIds: [51, 52, 60, 70, 11] })
    expect(outside.pics.requests).toEqual([])
    expect(outside.site.calls).toEqual([])
  })
})

describe('trouble', () => {
  test('a dropped connection: the request is sent again over another one', async () => {
    outside.pics.changed.push({ appId: 30, changeNumber: 5001 })
    outside.pics.changeNumber = 5001
    outside.pics.requests.length = 0
    outside.pics.dropsAt.push(1)
    const before = outside.cm.connections
    const { outcome, reports } = await crawl('incremental')
    expect(outcome).toMatchObject({ kind: 'done', failedBatches: 0 })
    expect(outside.cm.connections).toBe(before + 2)
    expect(reports.some(({ isReconnecting }) => isReconnecting)).toBe(true)
  })

  test('a server that refuses connections: another one is used', async () => {
    const closed = new AlphaCmStandIn()
    outside.site.endpoints = [closed.endpoint, outside.cm.endpoint]
    try {
      // The library chooses by chance, so that one run may never meet it.
      while (closed.connections === 0) {
        expect((await crawl('incremental')).outcome).toMatchObject({ kind: 'done' })
      }
    } finally {
      outside.site.endpoints = [outside.cm.endpoint]
      await closed.stop()
    }
  })

  test('a log-on that Steam refuses fails with its reason', async () => {
    outside.pics.logOnResults.push(...[1, 2, 3].map(() => EResult.RateLimitExceeded))
    const { outcome } = await crawl('incremental')
    const fault = { result: 'RateLimitExceeded', isRefused: false }
    expect(outcome).toEqual({ kind: 'failed', reason: 'Steam: RateLimitExceeded', fault })
    outside.pics.logOnResults.length = 0
  })

  test('a sign-in that Steam refuses is tried once', async () => {
    outside.pics.logOnResults.push(EResult.AccessDenied, EResult.AccessDenied)
    const { outcome } = await crawl('incremental', { refreshToken: tokenFor('76561197960287930') })
    const fault = { result: 'AccessDenied', isRefused: true }
    expect(outcome).toEqual({ kind: 'failed', reason: 'Steam: AccessDenied', fault })
    expect(outside.pics.logOnResults.splice(0)).toEqual([EResult.AccessDenied])
  })

  test('a busy directory is asked again, an absent one ends the crawl', async () => {
    outside.site.statuses.set('directory', [503])
    expect((await crawl('incremental')).outcome).toMatchObject({ kind: 'done' })
    outside.site.statuses.set('directory', [404])
    const reason = `${new URL(outside.site.url).host} answered with status 404`
    const fault = { result: null, isRefused: false }
    expect((await crawl('incremental')).outcome).toEqual({ kind: 'failed', reason, fault })
  })

  test('cancelled in the middle', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    outside.pics.hold = promise
    outside.pics.changed.push({ appId: 30, changeNumber: 5002 })
    outside.pics.changeNumber = 5002
    const controller = new AbortController()
    const seen = outside.pics.count('changes')
    const running = crawl('incremental', { signal: controller.signal })
    await eventually(() => outside.pics.count('changes') >= seen + 2, 'changes were asked for')
    controller.abort()
    expect((await running).outcome).toEqual({ kind: 'cancelled' })
    resolve()
    outside.pics.hold = null
  })

  test('logs on with the account of the service', async () => {
    const refreshToken = tokenFor('76561197960287930')
    await crawl('incremental', { refreshToken })
    expect(outside.pics.logOns.at(-1)).toBe(refreshToken)
  })
})
