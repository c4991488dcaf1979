import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { catalogueStandIns } from '../../../test/support/catalogue-site.ts'
import { testServer } from '../../../test/support/test-server.ts'
import type { ImportProgress } from './contract.ts'
import { createDescriber } from './describe.ts'

setDefaultTimeout(60_000)

const outside = catalogueStandIns()

const pathOf = (name: string) => join(outside.dataPath, 'catalogue', name)

async function importFrom(url: string | null, signal = new AbortController().signal) {
  const reports: ImportProgress[] = []
  const progress = (report: ImportProgress) => void reports.push(report)
  return { outcome: await outside.engine.importList({ url }, { signal, progress }), reports }
}
const listUrl = () => `${outside.site.url}/list.json`

test('without a list on disk, a local import imports nothing', async () => {
  expect((await importFrom(null)).outcome).toEqual({ kind: 'missing' })
})

test('imports mappings, owners and names of a list', async () => {
  outside.site.list = {
    '481': { ownerId: 480, depotName: 'Content', appIds: [480], appNames: ['Spacewar'] },
    '501': { ownerId: null, appIds: [500, 510], appNames: ['Left', 'Left: More'] },
    '601': { ownerId: 620, appIds: [600, 620], appNames: ['Six', 'Six Owner'] },
    broken: { ownerId: 1, appIds: [1], appNames: [] },
    '700': { ownerId: 1, appIds: [], appNames: [] },
  }
  expect((await importFrom(listUrl())).outcome).toEqual({ kind: 'done', mappings: 5 })
  expect(await outside.engine.names([481, 501, 601, 700])).toEqual([
    { depotId: 481, appId: 480, name: 'Spacewar', imageUrl: null },
    { depotId: 501, appId: 500, name: 'Left', imageUrl: null },
    { depotId: 601, appId: 620, name: 'Six Owner', imageUrl: null },
  ])
  expect(await outside.engine.status()).toMatchObject({
    mappings: 5,
    depots: 3,
    changeNumber: 900,
    file: { exists: true, totalMappings: 5, lastUpdated: '2026-03-01T00:00:00Z' },
  })
})

test('other threads describe titles by it', () => {
  const describe = createDescriber(outside.dataPath)
  expect(describe('alpha:601', 'steam')).toMatchObject({ gameAppId: 620, gameName: 'Six Owner' })
  expect(describe('alpha:441', 'steam')).toMatchObject({ gameName: 'Team Fortress 2' })
  expect(describe('alpha:987654', 'steam')).toMatchObject({ gameName: null, depotId: 987_654 })
  expect(describe('gamma:pro', 'blizzard')).toMatchObject({ gameName: 'Overwatch' })
  expect(createDescriber('/nonexistent')('alpha:601', 'steam')).toMatchObject({ gameName: null })
})

test('an unchanged list is not sent again', async () => {
  expect((await importFrom(listUrl())).outcome).toEqual({ kind: 'unchanged', mappings: 5 })
  outside.site.listEtag = '"two"'
  outside.site.list = {
    '481': { ownerId: 480, appIds: [480], appNames: ['Spacewar'], source: 'new' },
  }
  expect((await importFrom(listUrl())).outcome).toEqual({ kind: 'done', mappings: 1 })
  expect((await outside.engine.status()).mappings).toBe(1)
})

test.each([
  ['a page of a hotel', '<html>Welcome</html>'],
  ['a list that ends too early', '{"metadata":{},"depotMappings":{"1":{"ownerId":1'],
  ['a list without mappings', '{"metadata":{"version":"1.0"},"depotMappings":{}}'],
  ['nothing', ''],
])('%s is refused and changes nothing', async (_, text) => {
  outside.site.listEtag = '"broken"'
  outside.site.listText = text
  const { outcome } = await importFrom(listUrl())
  expect(outcome).toMatchObject({ kind: 'failed' })
  outside.site.listText = null
  expect((await outside.engine.status()).mappings).toBe(1)
  expect(existsSync(pathOf('pics_depot_mappings.json'))).toBe(true)
  expect(existsSync(pathOf('pics_depot_mappings.json.part'))).toBe(false)
})

test('an address that does not answer is named without its path', async () => {
  expect((await importFrom('http://127.0.0.1:1/secret/list.json')).outcome).toEqual({
    kind: 'failed',
    reason: '127.0.0.1:1 cannot be reached',
  })
})

test('a list that breaks off is named without its address', async () => {
  const text = Bun.gzipSync(Buffer.from(JSON.stringify({ depotMappings: outside.site.list })))
  const headers = { 'content-encoding': 'gzip' }
  const { port, url } = testServer(() => new Response(text.subarray(0, -9), { headers }))
  expect((await importFrom(`${url}/secret/list.json`)).outcome).toEqual({
    kind: 'failed',
    reason: `127.0.0.1:${port} broke off its answer`,
  })
})

test('the list on disk is imported without a request', async () => {
  outside.site.calls.length = 0
  expect((await importFrom(null)).outcome).toEqual({ kind: 'done', mappings: 1 })
  expect(outside.site.calls).toEqual([])
})

test('300 000 mappings need a few megabytes; a cancelled import changes nothing', async () => {
  const depots = 100_000
  const one = (at: number) => {
    const id = 10 + at * 10
    const names = [`Game ${at}`, `Game ${at}: More`, `Game ${at}: Most`]
    const value = { ownerId: id, appIds: [id, id + 1, id + 2], appNames: names }
    return `${at === 0 ? '' : ','}"${id}":${JSON.stringify(value)}`
  }
  const parts = ['{"depotMappings":{']
  for (let at = 0; at < depots; at++) parts.push(one(at))
  outside.site.listEtag = '"large"'
  outside.site.listText = `${parts.join('')}}}`
  const controller = new AbortController()
  const cancelled = importFrom(listUrl(), controller.signal)
  controller.abort()
  expect((await cancelled).outcome).toEqual({ kind: 'cancelled' })
  expect((await outside.engine.status()).mappings).toBe(1)
  const before = process.memoryUsage.rss()
  let peak = before
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5)
  const { outcome, reports } = await importFrom(listUrl())
  clearInterval(timer)
  expect(outcome).toEqual({ kind: 'done', mappings: 300_000 })
  expect(reports.length).toBeGreaterThan(1)
  // The site's own copy of the text included.
  expect(peak - before).toBeLessThan(160 * 1024 * 1024)
})

test('names of the store win, and each app is asked for once', async () => {
  outside.site.storeNames.set(480, 'Spacewar!')
  outside.site.calls.length = 0
  const request = { baseUrl: outside.site.url, appIds: [480], limit: 10 }
  const { signal } = new AbortController()
  outside.site.listText = null
  outside.site.list = { '481': { ownerId: 480, appIds: [480], appNames: ['Spacewar'] } }
  outside.site.listEtag = '"store"'
  await importFrom(listUrl())
  expect(await outside.engine.lookUp(request, signal)).toEqual([480])
  expect(await outside.engine.names([481])).toEqual([
    {
      depotId: 481,
      appId: 480,
      name: 'Spacewar!',
      imageUrl: `${outside.site.url}/header/480.jpg`,
    },
  ])
  expect(await outside.engine.lookUp(request, signal)).toEqual([])
  expect(outside.site.count('store')).toBe(1)
})
