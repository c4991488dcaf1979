import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { atEnd } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { deltaStandIn, practiceRelease } from '../support/stand-ins/delta.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { Larder } from './larder.ts'
import { download, startProxy, type Proxy } from './proxy.ts'

const standIn = deltaStandIn('valorant')
atEnd(standIn.stop)
const total = 630_000
const root = tempFolder('prefill-origin')
let proxy: Proxy
beforeAll(async () => {
  standIn.publish('1.0', practiceRelease())
  proxy = await startProxy(join(root, 'proxy'), '64k', undefined, standIn)
})
afterAll(() => proxy.stop())

interface Batch {
  clients: { items: { clientIp: string; totalBytes: number }[] }
  dashboard: { period: { totalServed: number } }
}

test('a prefill is nobody’s download, whatever the log shows of it', async () => {
  const larder = await Larder.start({
    dataPath: join(root, 'data'),
    sources: [{ name: 'default', logPath: proxy.plainLogs }],
    cachePath: proxy.cachePath,
    environment: {
      Delta__PatchlineBaseUrl: standIn.configBaseUrl,
      Prefill__LancacheIp: `127.0.0.1:${proxy.port}`,
    },
  })
  const visitor = await larder.firstSignIn()
  const base = '/api/system/prefill/persistent'
  const created = await visitor.request('POST', `${base}/start`, { service: 'delta' })
  const { id: sessionId } = (await created.json()) as { id: string }
  const chosen = { service: 'delta', sessionId, appIds: ['valorant'] }
  await visitor.write('POST', `${base}/selected-apps`, chosen)
  const run = await visitor.request('POST', `${base}/prefill`, { service: 'delta', sessionId })
  expect(await run.json()).toMatchObject({ success: true })
  const client = '127.0.0.9'
  const headers = { host: 'valorant.dyn.riotcdn.net' }
  const path = standIn.requests[0]?.path ?? ''
  const { bytes: mine } = await download({ port: proxy.port, path, from: client, headers })
  expect(mine).toBeGreaterThan(0)

  const shownOf = async (query: string) => {
    const { clients, dashboard } = await visitor.read<Batch>(`/api/dashboard/batch${query}`)
    const rows = clients.items.map(({ clientIp, totalBytes }) => [clientIp, totalBytes])
    return JSON.stringify([dashboard.period.totalServed, rows])
  }
  const everything = [
    total + mine,
    [
      ['127.0.0.1', total],
      [client, mine],
    ],
  ]
  const isCounted = async () =>
    (await shownOf('?includePrefill=true')) === JSON.stringify(everything)
  await eventually(isCounted, 'prefill and download are counted')
  expect(await shownOf('')).toBe(JSON.stringify([mine, [[client, mine]]]))
}, 120_000)
