import { beforeEach, expect, test } from 'bun:test'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { daemonStandIn, type DaemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { signInAs, signInGuest, signInOwner } from '../../../test/support/sign-in.ts'
import type { ActivitySnapshot } from '../../core/live/events.ts'
import type { DaemonSession } from './model.ts'

let app: TestApp
let daemon: DaemonStandIn
let host: string

beforeEach(async () => {
  daemon = await daemonStandIn('gamma')
  app = await testApp({ environment: daemon.environment })
  host = app.listen()
})

type Page = Awaited<ReturnType<typeof hubClient>>

/** Prefill in the newest snapshot that a page has: domain, key, aspect and whether it is active. */
const shown = (page: Page) =>
  (page.received<ActivitySnapshot>('ActivityUpdated').at(-1)?.activities ?? [])
    .filter(({ domain }) => domain === 'prefillSession' || domain === 'persistentContainer')
    .map(({ domain, key, aspect, isActive }) => `${domain} ${key} ${aspect} ${isActive}`)

test('a session and its run are active for accounts, the owner’s only for the owner', async () => {
  const browsers = [await signInOwner(app), await signInAs(app, 'user'), await signInGuest(app)]
  const pages = await Promise.all(browsers.map((browser) => hubClient(host, browser, null)))
  const [ownerPage, userPage, guestPage] = pages
  const [owner, user] = browsers
  if (ownerPage === undefined || userPage === undefined || guestPage === undefined)
    throw new Error()
  if (owner === undefined || user === undefined) throw new Error()
  const see = async () => {
    await Promise.all(pages.map((page) => page.live.sync()))
    return { owner: shown(ownerPage), user: shown(userPage), guest: shown(guestPage) }
  }
  const hubs = [await hubClient(host, owner, 'gamma'), await hubClient(host, user, 'gamma')]
  const [ownId = '', userId = ''] = await Promise.all(
    hubs.map(async (hub) => (await hub.call<DaemonSession>('CreateSessionAsync')).id),
  )
  const present = [`prefillSession ${userId} present true`]
  const ofOwner = [`prefillSession ${ownId} present true`]
  expect(await see()).toEqual({ owner: [...present, ...ofOwner], user: present, guest: [] })

  const run = user.post(`/api/gamma-daemon/sessions/${userId}/prefill`, { all: true })
  await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
  const running = [...present, `prefillSession ${userId} downloading true`]
  expect(await see()).toEqual({ owner: [...running, ...ofOwner], user: running, guest: [] })
  daemon.progress({ state: 'completed' })
  await run
  const ended = [...present, `prefillSession ${userId} downloading false`]
  expect(await see()).toEqual({ owner: [...ended, ...ofOwner], user: ended, guest: [] })

  await Promise.all(hubs.map((hub, at) => hub.call('EndSessionAsync', at === 0 ? ownId : userId)))
  expect(await see()).toEqual({ owner: [], user: [], guest: [] })
})

test('a persistent session is a running container that is signed in', async () => {
  const owner = await signInOwner(app)
  await owner.post('/api/system/prefill/persistent/start', { service: 'gamma' })
  const page = await hubClient(host, owner, null)
  expect(shown(page).map((line) => line.replace(/ [0-9a-f]{16} /, ' <id> '))).toEqual([
    'prefillSession <id> present true',
    'persistentContainer gamma running true',
    'persistentContainer gamma authenticated true',
  ])
})

test('platforms without a sign-in are connected while sessions can be started', async () => {
  const page = await hubClient(host, await signInOwner(app), null)
  const connected = () =>
    (page.received<ActivitySnapshot>('ActivityUpdated').at(-1)?.activities ?? [])
      .filter(({ domain, aspect }) => domain === 'integration' && aspect === 'connected')
      .map(({ key }) => key)
  await eventually(() => connected().length === 2, 'both are connected')
  expect(connected()).toEqual(['gamma', 'delta'])
  await daemon.stop()
  const later = await testApp({ environment: daemon.environment })
  const next = await hubClient(later.listen(), await signInOwner(later), null)
  await eventually(
    () => JSON.stringify(next.received('ActivityUpdated').at(-1)).includes('"connected"'),
    'delta is connected',
  )
  expect(JSON.stringify(next.received('ActivityUpdated'))).not.toContain('"gamma"')
})
