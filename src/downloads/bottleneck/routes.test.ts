import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { logLine } from '../../../test/support/log-lines.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { putDownloads } from '../../../test/support/put-downloads.ts'
import { signInAs } from '../../../test/support/sign-in.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { EngineAway } from '../../engines/host.ts'
import type { LogScan } from '../../engines/log-scan/contract.ts'
import type { Bottleneck } from './model.ts'
import { createBottleneckNow } from './now.ts'

const root = tempFolder('bottleneck')
const mb = 1_000_000
/** A long one of an hour, and a short one that runs now. */
const [longAt, nowS] = [Math.floor(Date.now() / 1000) - 8 * 3600, Math.floor(Date.now() / 1000)]

/** Megabytes per second of each client. */
function lines(at: number, length: number, rates: Record<string, number>): string[] {
  return Array.from({ length }, (_, second) =>
    Object.entries(rates).map(([client, rate]) =>
      logLine({ at: at + second, client, bytes: rate * mb }),
    ),
  ).flat()
}

const logPath = join(root, 'logs')
for (const path of [logPath, join(root, 'cache')]) mkdirSync(path)
const text = [
  ...lines(longAt, 3600, { '10.0.0.1': 2, '10.0.0.2': 9 }),
  ...lines(nowS - 30, 30, { '10.0.0.3': 1, '10.0.0.4': 20 }),
]
writeFileSync(join(logPath, 'access.log'), text.join(''))
const history = await freshHistory()
const common = { titleKey: 'alpha:731', startedAt: longAt, hitBytes: 1000 * mb }
await putDownloads(
  history,
  { ...common, id: 1, client: '10.0.0.1', endedAt: longAt + 3600 },
  { ...common, id: 2, client: '10.0.0.2', endedAt: longAt + 3600 },
  { ...common, id: 3, client: '10.0.0.9', endedAt: longAt + 20 },
  { ...common, id: 4, client: '10.0.0.9', endedAt: longAt + 50 },
)
const environment = { LanCache__LogPath: logPath, LanCache__CachePath: join(root, 'cache') }
const app = await testApp({ history, environment })
const user = await signInAs(app, 'user')

const path = (id: number) => `/api/ext/downloads/${id}/bottleneck`
async function of(id: number): Promise<Bottleneck> {
  const response = await user.get(path(id))
  expect(response.status).toBe(200)
  // Form given by the contract.
  return (await response.json()) as Bottleneck
}

test('accounts learn what limited a download, from the middle of its time', async () => {
  const slow = await of(1)
  expect(slow).toMatchObject({
    verdict: 'clientNetwork',
    reason: null,
    hasRequestTimes: false,
    problem: null,
    internetShare: 0,
    disk: null,
    lineBytesPerSecond: null,
  })
  expect(Date.parse(slow.toUtc) - Date.parse(slow.fromUtc)).toBe(600_000)
  expect(slow.own.bytesPerSecond).toBeCloseTo(2 * mb, -3)
  expect(slow.otherClient?.bytesPerSecond).toBeCloseTo(9 * mb, -3)
  // The fastest so far is another one, never the download itself.
  expect(slow.bestCacheBytesPerSecond).toBe(50 * mb)
  expect((await of(3)).bestCacheBytesPerSecond).toBe(20 * mb)
  expect(await of(3)).toMatchObject({ verdict: 'notEnoughData', reason: 'notInLog' })
  expect((await user.get(path(99))).status).toBe(404)
})

test('the line as it was set counts before any download', async () => {
  app.settings.set('overview.savings', {
    lineMbitPerSecond: 100,
    pricePerGb: null,
    currency: 'EUR',
  })
  expect((await of(1)).lineBytesPerSecond).toBe(12.5 * mb)
})

test('what limits most of the current traffic, once for all who ask, without hidden clients', async () => {
  await user.put('/api/stats/exclusions', { rules: [{ ip: '10.0.0.4', mode: 'hide' }] })
  const now = () => user.get('/api/ext/bottleneck/now')
  const [one, two] = await Promise.all([now(), now()])
  const answer = (await one.json()) as { download: Bottleneck & { clientIp: string } }
  expect(await two.json()).toEqual(answer)
  expect(answer.download).toMatchObject({ clientIp: '10.0.0.3', verdict: 'clientNetwork' })
  expect(answer.download.disk).not.toBeNull()
})

test('a hidden client has none', async () => {
  await user.put('/api/stats/exclusions', { rules: [{ ip: '10.0.0.1', mode: 'hide' }] })
  expect((await user.get(path(1))).status).toBe(404)
  await user.put('/api/stats/exclusions', { rules: [] })
})

test('a download on a node is not judged by the load of a disk here', async () => {
  const [own] = app.config.datasources
  if (own === undefined) throw new Error('there is a datasource')
  const { logPath } = own
  const nowOf = (path: string, traffic: LogScan['traffic']) =>
    createBottleneckNow(
      {
        ...app,
        config: { ...app.config, datasources: [{ ...own, logPath: path }] },
        logScan: { ...app.logScan, traffic },
      },
      app.groups.downloads.reports,
    )()
  const read: LogScan['traffic'] = (request) => app.logScan.traffic({ ...request, logPath })
  expect((await nowOf(logPath, read)).download?.disk).not.toBeNull()
  expect((await nowOf(`attic:${logPath}`, read)).download).toMatchObject({ disk: null })
  const away = () => Promise.reject(new EngineAway('The node attic is away'))
  expect(await nowOf(`attic:${logPath}`, away)).toEqual({ download: null })
})
