import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { OperationView } from '../../src/core/operations/contract.ts'
import type { HistoryEntry } from '../../src/prefill/administration/model.ts'
import type { DaemonSession } from '../../src/prefill/sessions/model.ts'
import type { Shelf } from '../../src/prefill/shelf/model.ts'
import { daemonProcess } from './daemon-process.ts'
import { eventually } from './eventually.ts'
import { practiceGame } from './practice-origin.ts'
import { persistentPath, prefillService, restartFixture } from './prefill-service.ts'
import { tempFolder } from './temp-folder.ts'

type Service = Awaited<ReturnType<typeof prefillService>>
type Jobs = Record<'running' | 'waiting' | 'recent', OperationView[]>

export const runGames = ['first', 'broken', 'last']
const service = 'gamma'
export const schedulesPath = '/api/ext/prefill/schedules'
export const shelfPath = '/api/ext/prefill/shelf'

async function outsideDaemon(origin: string) {
  const environment = { PREFILL_PRACTICE_ORIGIN: origin, LANCACHE_IP: new URL(origin).host }
  const daemon = daemonProcess({ platform: service, folder: tempFolder('outside'), environment })
  await daemon.connect()
  return { socketPath: daemon.socketPath, pid: daemon.process.pid }
}

/** How the games of the run end. */
export const outcome = ['first Completed 2000', 'broken Failed 1000', 'last Completed 2000']
export const shortly = ({ appId, status, bytesDownloaded }: HistoryEntry) =>
  `${appId} ${status} ${bytesDownloaded}`

export type RunOf = 'hand' | 'schedule' | 'shelf' | 'board'

/**
 * A run of these games, of which `broken` lacks an object, that waits in one of them. `outside`: at a
 * daemon that the service does not start.
 */
export async function runningIn(
  game: string,
  by: RunOf = 'hand',
  {
    where = 'builtin',
    picked = runGames,
  }: { where?: 'outside' | 'builtin'; picked?: string[] } = {},
) {
  const { root, origin, pidOf, runs } = restartFixture(
    runGames.map((id) => practiceGame(id, { objects: 2 })),
  )
  const outside = where === 'outside' ? await outsideDaemon(origin.url) : null
  const held = Promise.withResolvers<undefined>()
  const waiting = Promise.withResolvers<undefined>()
  origin.intercept(async (path) => {
    if (path.includes(`/${game}/1`)) {
      waiting.resolve(undefined)
      await held.promise
    }
    return path.includes('/broken/1') ? new Response('', { status: 404 }) : undefined
  })
  const again = () => {
    if (outside === null) return prefillService(root, origin.url)
    const transport = `unix://${outside.socketPath}`
    return prefillService(root, origin.url, { Prefill__Gamma__Transport: transport })
  }
  const larder = await again()
  const { id } = await larder.call<DaemonSession>('POST', `${persistentPath}/start`, { service })
  const chosen = picked.map((appId) => ({ platform: service, appId }))
  if (by === 'schedule') {
    const timing = { name: 'Default', enabled: true, notificationMode: 'silent', intervalHours: 24 }
    await larder.send('PUT', `${schedulesPath}/gamma`, { ...timing, preset: 'All' })
    await larder.send('POST', `${schedulesPath}/gamma/run`)
  } else if (by === 'shelf') {
    const isListed = async () => (await larder.call<Shelf>('GET', shelfPath)).games.length === 3
    await eventually(isListed, 'the games are listed')
    await larder.send('POST', `${shelfPath}/run`, { games: chosen })
  } else if (by === 'board') {
    const named = chosen.map((game) => ({ ...game, name: game.appId }))
    await larder.send('POST', '/api/ext/prefill/ready/games', { games: named })
    await larder.send('POST', '/api/ext/prefill/ready/make')
  } else {
    const headers = { Prefer: 'respond-async' }
    await larder.call('POST', `${persistentPath}/prefill`, { service, all: true }, headers)
  }
  const versions = join(root, 'data/prefill/builtin', service, 'config/versions')
  /** Games that the daemon has noted as downloaded. */
  const downloaded = () => (existsSync(versions) ? readdirSync(versions).length : 0)
  return {
    larder,
    again,
    /** The service is killed and comes back after the end of the run. */
    async endAway() {
      await larder.end('SIGKILL')
      held.resolve(undefined)
      await eventually(() => downloaded() === 2, 'the daemon has finished the last game')
      const beganMs = Date.now()
      const second = await again()
      // A service that has just begun to load has recorded nothing.
      return { second, loadingMs: (beganMs + Date.now()) / 2 }
    },
    /** The game is under way. */
    waiting: waiting.promise,
    /** The run goes on. */
    goOn: () => held.resolve(undefined),
    /** Games of the session, oldest first. */
    async history(from: typeof larder) {
      const path = `/api/prefill-admin/sessions/${id}/history`
      return (await from.call<HistoryEntry[]>('GET', path)).toReversed()
    },
    session: async (from: typeof larder) =>
      (await from.call<DaemonSession[]>('GET', '/api/prefill-admin/sessions/active')).find(
        (one) => one.id === id,
      ),
    /** As their page lists them. */
    operations: operationsOf,
    jobs: async (from: typeof larder) =>
      (await operationsOf(from)).map(({ type, status }) => `${type} ${status}`),
    ids: async (from: typeof larder) => (await operationsOf(from)).map(({ id }) => id),
    stateFile: join(root, 'data', 'state.sqlite'),
    killDaemon: () => process.kill(pidOf(id), 'SIGKILL'),
    pid: () => outside?.pid ?? pidOf(id),
    runs,
  }
}

export async function operationsOf(from: Service) {
  const path = '/api/ext/operations?includeSilent=true'
  const { running, waiting, recent } = await from.call<Jobs>('GET', path)
  return [...running, ...waiting, ...recent].filter(({ type }) => type !== 'prefillReadyCheck')
}
