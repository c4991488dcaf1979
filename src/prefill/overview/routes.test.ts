import { expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { daemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import type { DaemonSession } from '../sessions/model.ts'
import type { PlatformStates } from './model.ts'

test('every platform with its transport, whether it works, and its sessions', async () => {
  const daemon = await daemonStandIn('alpha')
  const environment = {
    ...daemon.environment,
    Prefill__Delta__Transport: 'container',
    DOCKER_HOST: 'unix:///nowhere/engine.sock',
  }
  const app = await testApp({ environment })
  const owner = await signInOwner(app)
  const read = async () => {
    const answer = await owner.get('/api/ext/prefill/platforms')
    const { platforms } = (await answer.json()) as PlatformStates
    return Object.fromEntries(platforms.map(({ platform, ...rest }) => [platform, rest]))
  }
  expect(await read()).toMatchObject({
    alpha: { transport: 'outside', isAvailable: true, state: 'ready', problem: null },
    beta: { transport: 'builtin', isAvailable: true, needsLogin: true, state: 'ready' },
    epsilon: { transport: 'builtin', isAvailable: true, needsLogin: true, state: 'ready' },
    delta: { transport: 'container', isAvailable: false, needsLogin: false, state: 'noRuntime' },
  })
  const hub = await hubClient(app.listen(), owner, 'alpha')
  await hub.call('CreateSessionAsync')
  expect((await read())['alpha']).toMatchObject({ activeSessions: 1 })
})

test('a daemon outside: in use, busy, with another secret, and stopped', async () => {
  const daemon = await daemonStandIn('beta')
  const time = new ManualTime()
  const app = await testApp({ clock: time, timers: time, environment: daemon.environment })
  const owner = await signInOwner(app)
  const read = async () => {
    const answer = await owner.get('/api/ext/prefill/platforms')
    const { platforms } = (await answer.json()) as PlatformStates
    return platforms.find(({ platform }) => platform === 'beta')
  }
  const hub = await hubClient(app.listen(), owner, 'beta')
  const { id } = await hub.call<DaemonSession>('CreateSessionAsync')
  const before = daemon.received.length
  expect(await read()).toMatchObject({ isAvailable: true, state: 'ready', problem: null })
  const run = owner.post(`/api/beta-daemon/sessions/${id}/prefill`, { all: true })
  await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
  expect(await read()).toMatchObject({ isAvailable: true, state: 'busy', problem: { key: 'busy' } })
  daemon.progress({ state: 'completed' })
  await run
  // Its own session knows the daemon: it was not asked beside it.
  const asked = daemon.received.slice(before).map(({ type }) => type)
  expect(asked).not.toContain('status')

  await hub.call('EndSessionAsync', id)
  daemon.state.secret = 'other'
  expect(await read()).toMatchObject({
    isAvailable: false,
    state: 'secret',
    problem: { key: 'secret', values: { setting: 'Prefill__Beta' } },
  })
  await daemon.stop()
  await time.advance(20_000)
  const stopped = await read()
  expect(stopped).toMatchObject({ isAvailable: false, state: 'refused' })
  expect(stopped?.problem?.text).toBe(
    'Nothing listens there: start the daemon, or correct Prefill__Beta__Transport.',
  )
})
