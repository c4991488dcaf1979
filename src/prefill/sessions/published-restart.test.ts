import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { DaemonEngine } from '../../../test/support/daemon-engine.ts'
import { daemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { atEnd } from '../../../test/support/cleanup.ts'
import { eventually } from '../../../test/support/eventually.ts'
import {
  persistentPath,
  prefillService,
  restartFixture,
} from '../../../test/support/prefill-service.ts'
import { operationsOf, schedulesPath, shortly } from '../../../test/support/running-prefill.ts'
import type { HistoryEntry } from '../administration/model.ts'
import { labels } from '../transports/container/names.ts'
import { socketName, variables } from '../transports/container/options.ts'
import type { DaemonSession } from './model.ts'

const service = 'gamma'
const image = 'registry.test:5000/some/engine:2'

test.each([
  ['hand', 'prefill', 'SIGKILL'],
  ['schedule', 'scheduledPrefill', 'SIGKILL'],
  ['schedule', 'scheduledPrefill', 'SIGTERM'],
] as const)(
  'a run of the %s at a published image goes on as the same operation (%s, %s)',
  async (by, type, signal) => {
    const { root, origin, folder, runs } = restartFixture()
    const engine = new DaemonEngine(root)
    atEnd(() => engine.stop())
    engine.registry.add(image)
    const environment = {
      DOCKER_HOST: engine.address,
      Prefill__Gamma__Transport: 'container',
      Prefill__GammaDockerImage: image,
      Prefill__HostDataPath: join(root, 'data'),
    }
    const open = () => prefillService(root, origin.url, environment)
    const first = await open()
    const started = first.call<DaemonSession>('POST', `${persistentPath}/start`, { service })
    const container = () => engine.named('gamma-prefill-persistent')
    await eventually(() => container()?.isRunning === true, 'the container runs')
    const { Env = [], Labels = {} } = container()?.body ?? {}
    const secret = Env.find((one) => one.startsWith(variables.secret))?.split('=')[1] ?? ''
    const path = join(folder, Labels[labels.sessionId] ?? '', 'responses', socketName)
    const daemon = await daemonStandIn(service, { path, secret })
    const { id } = await started
    if (by === 'hand') {
      const headers = { Prefer: 'respond-async' }
      await first.call('POST', `${persistentPath}/prefill`, { service, all: true }, headers)
    } else {
      const timing = { enabled: true, notificationMode: 'silent', intervalHours: 24 }
      const schedule = { name: 'Default', ...timing, preset: 'All' }
      await first.send('PUT', `${schedulesPath}/gamma`, schedule)
      await first.send('POST', `${schedulesPath}/gamma/run`)
    }
    await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
    const game = { currentAppId: 'a', currentAppName: 'A', totalBytes: 2000 }
    daemon.progress({ state: 'downloading', ...game, bytesDownloaded: 1000 })
    const history = async (from: typeof first) =>
      (await from.call<HistoryEntry[]>('GET', `/api/prefill-admin/sessions/${id}/history`)).map(
        shortly,
      )
    await eventually(async () => (await history(first)).length === 1, 'the game has a row')
    const jobs = async (from: typeof first) =>
      (await operationsOf(from)).map((job) => `${job.id} ${job.type} ${job.status}`)
    const [before = ''] = await jobs(first)
    expect(before).toEndWith(`${type} running`)
    await first.end(signal)

    const second = await open()
    const isRunning = async () => {
      daemon.progress({ state: 'downloading', ...game, bytesDownloaded: 1500 })
      const path = '/api/prefill-admin/sessions/active'
      return (await second.call<DaemonSession[]>('GET', path))[0]?.isPrefilling === true
    }
    await eventually(isRunning, 'the run is found')
    expect(await jobs(second)).toEqual([before])
    daemon.progress({ state: 'app_completed', ...game, bytesDownloaded: 2000, result: 'Success' })
    daemon.progress({ state: 'completed', totalApps: 1, updatedApps: 1 })
    const over = before.replace('running', 'completed')
    await eventually(async () => (await jobs(second))[0] === over, 'it ends')
    expect(await jobs(second)).toEqual([over])
    expect(await history(second)).toEqual(['a Completed 2000'])
    expect(runs()).toEqual([[id, 0]])
    expect(daemon.commands('prefill')).toHaveLength(1)
  },
)
