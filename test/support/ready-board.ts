import { testApp, type TestAppOptions } from './app.ts'
import { daemonStandIn } from './daemon-stand-in.ts'
import { eventually } from './eventually.ts'
import { ManualTime } from './manual-time.ts'
import { practiceGame, practiceOrigin } from './practice-origin.ts'
import { signInOwner } from './sign-in.ts'
import type { ReadyBoard, ReadyGame } from '../../src/prefill/ready/model.ts'

/** A schedule of a platform that fetches everything once a day. */
export const usualSchedule = {
  name: 'Default',
  enabled: true,
  notificationMode: 'all',
  intervalHours: 24,
  preset: 'All',
}

/** Of the readiness board. */
export const path = '/api/ext/prefill/ready'

/** An application with a readiness board, and what tests do with it. */
export async function boardOf(options: TestAppOptions) {
  const app = await testApp(options)
  app.settings.set('setup.isCompleted', true)
  app.schedules.start()
  const owner = await signInOwner(app)
  const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T
  const board = () => json<ReadyBoard>(owner.get(path))
  const game = async (appId: string): Promise<ReadyGame> => {
    const found = (await board()).games.find((one) => one.appId === appId)
    if (found === undefined) throw new Error(`${appId} is not on the board`)
    return found
  }
  return {
    app,
    owner,
    json,
    board,
    game,
    states: async () =>
      Object.fromEntries((await board()).games.map(({ appId, state }) => [appId, state])),
    add: (...ids: string[]) =>
      owner.post(`${path}/games`, {
        games: ids.map((appId) => ({ platform: 'gamma', appId, name: `Game ${appId}` })),
      }),
    start: () => owner.post('/api/system/prefill/persistent/start', { service: 'gamma' }),
    checked: () =>
      eventually(async () => {
        const { isChecking, games } = await board()
        return !isChecking && games.every(({ checkedAtUtc }) => checkedAtUtc !== null)
      }, 'the games are checked'),
  }
}

/** With Larder's own daemon, and an origin whose games a test can change. */
export async function withOrigin() {
  const games = [practiceGame('a'), practiceGame('b', { objects: 5 })]
  const origin = practiceOrigin({ games })
  const environment = { Prefill__LancacheIp: `127.0.0.1:${origin.port}` }
  return { origin, ...(await boardOf({ practiceOrigin: origin.url, environment })) }
}

/** With a daemon whose answers and runs the test gives. */
export async function withStandIn(options: TestAppOptions = {}) {
  const time = new ManualTime()
  const daemon = await daemonStandIn('gamma')
  const current = new Set<string>()
  const sizes = new Map<string, number>()
  let selected: string[] = ['kept']
  daemon.on('check-cache-status', ({ parameters }) => {
    const ids = JSON.parse(parameters['appIds'] ?? '[]') as string[]
    const apps = ids.map((appId) => ({ appId, name: appId, isUpToDate: current.has(appId) }))
    return { success: true, data: { apps, message: 'ok' } }
  })
  daemon.on('get-selected-apps', () => ({ success: true, data: selected }))
  daemon.on('set-selected-apps', ({ parameters }) => {
    selected = JSON.parse(parameters['appIds'] ?? '[]') as string[]
    return { success: true, message: 'Apps selected' }
  })
  daemon.on('get-selected-apps-status', () => ({
    success: true,
    data: {
      apps: selected.map((appId) => ({ appId, name: appId, downloadSize: sizes.get(appId) ?? 0 })),
    },
  }))
  const environment = { ...daemon.environment, ...options.environment }
  const fixture = await boardOf({ ...options, clock: time, timers: time, environment })
  const runs = () => daemon.commands('prefill').length
  return {
    ...fixture,
    time,
    daemon,
    current,
    sizes,
    selected: () => selected,
    runs,
    begun: (count: number) => eventually(() => runs() === count, `run ${count} begins`),
    /** The daemon has downloaded these games, and the run ends. */
    finish: (...ids: string[]) => {
      for (const appId of ids) {
        current.add(appId)
        const app = { currentAppId: appId, currentAppName: appId, totalBytes: 1000 }
        daemon.progress({ state: 'downloading', ...app, bytesDownloaded: 500, totalApps: 1 })
        daemon.progress({
          state: 'app_completed',
          ...app,
          bytesDownloaded: 1000,
          result: 'Success',
        })
      }
      daemon.progress({ state: 'completed', updatedApps: ids.length, totalApps: ids.length })
    },
    ended: () =>
      eventually(async () => (await fixture.board()).operationId === null, 'the run ends'),
  }
}
