import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Platform } from '../../src/platforms/platforms.ts'
import { startProxy, type Proxy } from '../lab/proxy.ts'
import { alphaStandIns } from '../support/alpha-content-site.ts'
import { practiceChunks } from '../support/stand-ins/beta-manifest.ts'
import { betaContent, logIn as logInToBeta } from '../support/beta-daemon.ts'
import type { DaemonClient } from '../support/daemon-client.ts'
import { restored } from '../support/daemon-login.ts'
import { daemonProcess } from '../support/daemon-process.ts'
import { logIn as logInToEpsilon } from '../support/epsilon-daemon.ts'
import { deltaStandIn } from '../support/stand-ins/delta.ts'
import { EpsilonStandIn } from '../support/stand-ins/epsilon.ts'
import { gammaStandIn } from '../support/stand-ins/gamma.ts'
import { memoryOf } from '../lab/processes.ts'
import { processorSeconds } from './import.ts'

const megabyte = 1024 * 1024
/** Content of one game; it stays in the page cache. */
const gameMegabytes = 640
/** Of Battle.net, whose content is made byte by byte. */
const gammaMegabytes = 256
/** Of one game of a library. */
const titleObjects = 20
const titleObjectBytes = 2000
const wrkSeconds = 2
const memoryPollMs = 50

/** One platform's outside world, and how its daemon is started. */
interface Site {
  platform: Platform
  /** Requests at the same time, as the engine has them. */
  connections: number
  origin: NonNullable<Parameters<typeof startProxy>[3]>
  environment: Record<string, string>
  /** What the daemon is told to fetch. */
  apps: string
  /** Adds games to the account, each with a few small objects; returns the ids of all its apps. */
  addTitles?: (count: number) => string
  prepare?: (folder: string) => void
  signIn?: (client: DaemonClient) => Promise<unknown>
}

export const numbered = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

function deltaSite(): Site {
  const standIn = deltaStandIn('valorant')
  const bundles = numbered(gameMegabytes / 8, (index) => ({
    id: BigInt(index + 1),
    chunks: numbered(8, (chunk) => ({ id: BigInt(index * 8 + chunk + 1), bytes: megabyte })),
  }))
  const chunks = bundles.flatMap((bundle) => bundle.chunks.map(({ id }) => id))
  standIn.publish('1.0', { languages: [], bundles, files: [{ chunks }] })
  const environment = { Delta__PatchlineBaseUrl: standIn.configBaseUrl }
  const apps = '["valorant"]'
  return { platform: 'delta', connections: 20, origin: standIn, environment, apps }
}

function betaSite(): Site {
  const epic = betaContent()
  const chunks = numbered(gameMegabytes, (index) => {
    const digits = createHash('md5').update(`${index}`).digest('hex').toUpperCase()
    return { guid: digits, hash: digits.slice(16), group: index % 100, bytes: megabyte }
  })
  Object.assign(epic.assets[0] ?? {}, { build: { chunks } })
  const { port, environment } = epic
  const origin = { port, requestCount: () => epic.content.length, stop: () => epic.stop() }
  const signIn = (client: DaemonClient) => logInToBeta(client, epic.code)
  const apps = '["Lantern"]'
  const addTitles = (count: number) => {
    const titles = numbered(count, (index) => {
      const appName = `Title${index}`
      const build = { chunks: practiceChunks(titleObjects, index + 10) }
      const basePath = `/Builds/${appName}`
      return { appName, title: `Title ${index}`, buildVersion: '1', basePath, build }
    })
    epic.assets.push(...titles)
    return JSON.stringify(titles.map(({ appName }) => appName))
  }
  return { platform: 'beta', connections: 30, origin, environment, apps, addTitles, signIn }
}

function alphaSite(): Site {
  const { site, pics, environment, code } = alphaStandIns()
  const chunks = numbered(gameMegabytes, (index) => ({ name: `bench-${index}`, bytes: megabyte }))
  site.publish(1001, '11', [chunks])
  const port = Number(new URL(site.url).port)
  const origin = { port, requestCount: () => site.requests.length, stop: () => Promise.resolve() }
  const addTitles = (count: number) => {
    const ids = numbered(count, (index) => 100_000 + 10 * index)
    for (const [index, appId] of ids.entries()) {
      const depotId = appId + 1
      const name = `Title ${index}`
      const depots = { [depotId]: { manifests: { public: { gid: '7' } } } }
      pics.apps.set(appId, { name, info: { common: { name, type: 'game' }, depots } })
      pics.packages.set(appId, { createdAt: 1_700_000_000, apps: [appId], depots: [depotId] })
      pics.manifestCodes.set(`${appId} 7`, code)
      const bytes = titleObjectBytes
      site.publish(depotId, '7', [
        numbered(titleObjects, (at) => ({ name: `${appId}-${at}`, bytes })),
      ])
    }
    return JSON.stringify(ids)
  }
  const stored = { username: 'ada', refreshToken: site.refreshToken, guardToken: null, logonId: 7 }
  return {
    platform: 'alpha',
    connections: 30,
    origin,
    environment: {
      ...environment,
      NODE_EXTRA_CA_CERTS: join(import.meta.dir, '../support/tls/localhost.cert.pem'),
    },
    apps: '[1000]',
    addTitles,
    prepare(folder) {
      mkdirSync(join(folder, 'config'), { recursive: true })
      writeFileSync(join(folder, 'config', 'account.json'), JSON.stringify(stored))
    },
    signIn: restored,
  }
}

function gammaSite(): Site {
  const standIn = gammaStandIn('d3')
  const kind = 'wanted' as const
  standIn.publish(
    '1.0',
    numbered(gammaMegabytes / 8, (seed) => ({ seed, bytes: 8 * megabyte, kind })),
  )
  const environment = { Gamma__VersionsBaseUrl: standIn.patchBaseUrl }
  return { platform: 'gamma', connections: 25, origin: standIn, environment, apps: '["d3"]' }
}

function epsilonSite(): Site {
  const xbox = new EpsilonStandIn()
  xbox.interval = 0
  const name = 'game.msixvc'
  const root = 'http://assets1.xboxlive.com'
  const file = { name, root, path: `/9/bench/${name}`, bytes: gameMegabytes * megabyte }
  const productId = '9BENCH000001'
  const packages = { content: [file] }
  const playedAt = '2026-10-01T10:00:00Z'
  xbox.titles = [{ productId, name: 'Bench', version: '1.0.0.0', playedAt, packages }]
  const { environment } = xbox
  const apps = JSON.stringify([productId])
  const signIn = logInToEpsilon
  const addTitles = (count: number) => {
    const titles = numbered(count, (index) => {
      const id = `9TITLE${String(index).padStart(6, '0')}`
      const files = numbered(3, (at) => {
        const path = `/9/${id}/${at}.msixvc`
        return { name: `${at}.msixvc`, root, path, bytes: titleObjectBytes }
      })
      const packages = { [`content-${index}`]: files }
      return { productId: id, name: `Title ${index}`, version: '1.0.0.0', playedAt, packages }
    })
    xbox.titles.push(...titles)
    return JSON.stringify(titles.map(({ productId }) => productId))
  }
  return {
    platform: 'epsilon',
    connections: 30,
    origin: xbox,
    environment,
    apps,
    addTitles,
    signIn,
  }
}

export const sites = [deltaSite, betaSite, alphaSite, gammaSite, epsilonSite]

/** One run of the daemon over everything, from its first request for content to its last. */
async function timeRun(client: DaemonClient, { apps, run }: { apps: string; run: number }) {
  const from = client.progress().length
  const { success, error } = await client.ask('set-selected-apps', { appIds: apps })
  if (!success) throw new Error(error ?? 'no game was selected')
  await client.ask('prefill')
  const last = await client.ended(run)
  const progress = client.progress().slice(from)
  const start = progress.find(({ state }) => state === 'downloading')
  const end = progress.find(({ state }) => state === 'app_completed')
  if (last.updatedApps !== 1 || start === undefined || end === undefined) {
    throw new Error(`the prefill failed: ${end?.errorMessage ?? last.errorMessage}`)
  }
  const seconds = end.elapsedSeconds - start.elapsedSeconds
  return { rate: end.bytesDownloaded / seconds, bytes: last.totalBytesTransferred }
}

/** A script for wrk that sends the daemon's requests of the warm-up. */
function wrkScript(proxy: Proxy, folder: string): string {
  const lines = readFileSync(join(proxy.plainLogs, 'access.log'), 'latin1').split('\n')
  const pattern = /"GET (\S+) HTTP\/1.1" 20[06] \d{5,} "[^"]*" "([^"]*)" "\w+" "([^"]*)" "([^"]*)"$/
  const requests = lines.flatMap((line) => {
    const [, path, agent, host, range] = pattern.exec(line) ?? []
    if (path === undefined) return []
    const headers = [`["Host"]="${host}"`, `["User-Agent"]="${agent}"`]
    if (range !== '-' && range !== '') headers.push(`["Range"]="${range}"`)
    return [`  wrk.format("GET", ${JSON.stringify(path)}, {${headers.join(', ')}})`]
  })
  const path = join(folder, 'requests.lua')
  const next = 'function request() at = at % #list + 1; return list[at] end'
  const init = `function init()\n  list = {\n${requests.join(',\n')}\n  }\n  at = 0\nend`
  const done =
    'function done(summary) io.write("rate ", summary.bytes / summary.duration * 1e6, "\\n") end'
  writeFileSync(path, [init, next, done].join('\n'))
  return path
}

/** Bytes per second that wrk takes from the same cache. */
async function timeWrk(script: string, { port }: Proxy, connections: number): Promise<number> {
  const options = ['-t', '1', '-c', `${connections}`, '-d', `${wrkSeconds}s`, '-s', script]
  const wrk = Bun.spawn(['wrk', ...options, `http://127.0.0.1:${port}`], { stderr: 'inherit' })
  const output = await new Response(wrk.stdout).text()
  const rate = Number(/^rate (\S+)$/m.exec(output)?.[1])
  if (!(rate > 0)) throw new Error(`wrk failed: ${output}`)
  return rate
}

export interface PrefillTimed {
  platform: Platform
  /** Bytes per second, one each per round. */
  daemon: number[]
  /** Empty without wrk. */
  wrk: number[]
  processorSecondsPerGigabyte: number
  peakBytes: number
}

/** A cache in front of a site, and the daemon as a process of its own, signed in. */
export async function openSite(site: Site, root: string) {
  const { platform, origin, environment } = site
  const folder = join(root, `prefill-${platform}`)
  mkdirSync(folder, { recursive: true })
  site.prepare?.(folder)
  const proxy = await startProxy(join(folder, 'proxy'), '1m', undefined, origin)
  const cache = { LANCACHE_IP: `127.0.0.1:${proxy.port}` }
  const daemon = daemonProcess({ platform, folder, environment: { ...environment, ...cache } })
  const client = await daemon.connect()
  await site.signIn?.(client)
  async function close(): Promise<void> {
    daemon.process.kill('SIGKILL')
    await daemon.process.exited
    await proxy.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { folder, proxy, client, pid: daemon.process.pid, close }
}

async function timeSite(site: Site, root: string, rounds: number): Promise<PrefillTimed> {
  const { platform, connections, apps } = site
  const { folder, proxy, client, pid, close } = await openSite(site, root)
  await timeRun(client, { apps, run: 1 })
  const script = wrkScript(proxy, folder)
  const hasWrk = Bun.which('wrk') !== null
  const timed: Pick<PrefillTimed, 'daemon' | 'wrk'> = { daemon: [], wrk: [] }
  let peakBytes = 0
  const timer = setInterval(() => (peakBytes = Math.max(peakBytes, memoryOf([pid]))), memoryPollMs)
  let [seconds, bytes] = [0, 0]
  for (let round = 1; round <= rounds; round++) {
    // Otherwise everything is up to date; forced runs ask past the cache.
    rmSync(join(folder, 'config', 'versions'), { recursive: true })
    const before = processorSeconds([pid])
    const run = await timeRun(client, { apps, run: round + 1 })
    seconds += processorSeconds([pid]) - before
    bytes += run.bytes
    timed.daemon.push(run.rate)
    if (hasWrk) timed.wrk.push(await timeWrk(script, proxy, connections))
  }
  clearInterval(timer)
  await close()
  return { platform, ...timed, peakBytes, processorSecondsPerGigabyte: (seconds / bytes) * 1e9 }
}

/**
 * The daemon of each platform as a process of its own, from a warm cache; wrk sends the same
 * requests over as many connections in every round, so that a busy machine is unfair to both.
 */
export async function timePrefills(
  root: string,
  { rounds, only }: { rounds: number; only: string },
): Promise<PrefillTimed[]> {
  const timed: PrefillTimed[] = []
  for (const site of sites) {
    if (site.name.startsWith(only)) timed.push(await timeSite(site(), root, rounds))
  }
  return timed
}
