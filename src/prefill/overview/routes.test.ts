import { expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { daemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
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
    alpha: { transport: 'outside', isAvailable: true, needsLogin: true, activeSessions: 0 },
    beta: { transport: 'builtin', isAvailable: false, needsLogin: true },
    delta: { transport: 'container', isAvailable: false, needsLogin: false },
  })
  const hub = await hubClient(app.listen(), owner, 'alpha')
  await hub.call('CreateSessionAsync')
  expect((await read())['alpha']).toMatchObject({ activeSessions: 1 })
  expect((await app.request('/api/ext/prefill/platforms')).status).toBe(401)
})
