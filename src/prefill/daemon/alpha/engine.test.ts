import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { EResult } from 'steam-session'
import { now } from '../../../../test/support/alpha-content-site.ts'
import {
  alphaDaemons,
  answer,
  objectsOf,
  password,
  prefill,
  signIn,
} from '../../../../test/support/alpha-daemon.ts'
import { tokenFor } from '../../../../test/support/stand-ins/alpha.ts'
import type { DaemonClient } from '../../../../test/support/daemon-client.ts'
import {
  challenge,
  challengesOf,
  loginEnd,
  restored,
  statesOf,
} from '../../../../test/support/daemon-login.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { encryptCredential } from '../../protocol/credentials.ts'
import { readChallenge } from '../../protocol/login.ts'
import { readOwnedGames } from '../../protocol/apps.ts'
import { serviceFacts } from '../../../platforms/service-facts.ts'

// The library of Steam's protocol takes seconds to load on a busy machine.
setDefaultTimeout(60_000)

const kinds = (client: DaemonClient) =>
  challengesOf(client).map(({ credentialType }) => credentialType)

describe('signing in', () => {
  test('name, password and code; the token is kept for itself', async () => {
    const { daemon, site, pics } = alphaDaemons()
    const { client, folder } = await daemon()
    await signIn(client)
    expect(kinds(client)).toEqual(['username', 'password', '2fa'])
    const { data } = await client.ask('status')
    expect(data).toMatchObject({ isLoggedIn: true, username: 'ada' })
    expect(JSON.stringify(data)).toContain('authExpiryUtc":"20')
    expect(pics.logOns).toEqual([site.refreshToken])
    const path = join(folder, 'config', 'account.json')
    expect(readFileSync(path, 'utf8')).toContain(site.refreshToken)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const frames = JSON.stringify([client.events, client.responses])
    for (const secret of [password, site.refreshToken, site.guardToken, 'CODE1']) {
      expect(frames).not.toContain(secret)
    }
  })

  test('a wrong password and a wrong code are asked for again', async () => {
    const { daemon } = alphaDaemons()
    const { client } = await daemon()
    await client.ask('login')
    await answer(client, ['ada', 'wrong', password, 'WRONG', 'CODE1'])
    expect(await loginEnd(client)).toMatchObject({ state: 'logged-in' })
    expect(kinds(client)).toEqual(['username', 'password', 'password', '2fa', '2fa'])
  })

  test('the third wrong password ends it', async () => {
    const { daemon } = alphaDaemons()
    const { client } = await daemon()
    await client.ask('login')
    await answer(client, ['ada', 'one', 'two', 'three'])
    expect(await loginEnd(client)).toEqual({
      state: 'awaiting-login',
      message: 'Login failed: Steam does not know this name with this password',
      displayName: null,
    })
  })

  test('a tap on the phone is enough, whether it is confirmed here or not', async () => {
    const { daemon, site } = alphaDaemons()
    site.accounts.set('tap', { password, guards: ['phone', 'device'] })
    const { client } = await daemon()
    await client.ask('login')
    await answer(client, ['tap', password])
    expect(await challenge(client, 3)).toMatchObject({ credentialType: 'device-confirmation' })
    site.tap(true)
    expect(await loginEnd(client)).toMatchObject({ state: 'logged-in' })
    await client.ask('logout')
    await client.ask('login')
    await answer(client, ['tap', password, 'confirm'], 4)
    site.tap(false)
    expect(await loginEnd(client, 2)).toMatchObject({
      message: 'Login failed: The sign-in was declined or expired',
    })
  })

  test('a code by mail is asked for once: the next sign-in shows that it is the same program', async () => {
    const { daemon, site } = alphaDaemons()
    site.accounts.set('mail', { password, guards: ['email'], code: 'MAIL1' })
    const { client } = await daemon()
    await client.ask('login')
    await answer(client, ['mail', password, 'MAIL1'])
    await loginEnd(client)
    expect(kinds(client)).toEqual(['username', 'password', 'steamguard'])
    expect((await challenge(client, 3)).email).toBe('example.test')
    expect(site.mails).toBe(1)
  })

  test('cancelling ends it, and the next one begins anew', async () => {
    const { daemon } = alphaDaemons()
    const { client } = await daemon()
    await client.ask('login')
    await answer(client, ['ada', password])
    await challenge(client, 3)
    await client.ask('cancel-login')
    expect(await loginEnd(client)).toMatchObject({ state: 'awaiting-login' })
    await client.ask('login')
    await answer(client, ['ada', password, 'CODE1'], 4)
    expect(await loginEnd(client, 2)).toMatchObject({ state: 'logged-in' })
  })

  test('a restarted daemon is signed in; a refused token leads to a new sign-in', async () => {
    const { daemon, pics } = alphaDaemons()
    const first = await daemon()
    await signIn(first.client)
    await first.stop()
    const second = await daemon(first.folder)
    await restored(second.client)
    expect(challengesOf(second.client)).toEqual([])
    await second.stop()
    pics.logOnResults.push(EResult.AccessDenied)
    const third = await daemon(first.folder)
    await third.client.ask('login')
    await answer(third.client, ['ada', password, 'CODE1'])
    expect(await loginEnd(third.client)).toMatchObject({ state: 'logged-in' })
  })

  test('a sign-in that the manager has stored', async () => {
    const { daemon, pics } = alphaDaemons()
    const { client, folder } = await daemon()
    const token = tokenFor('76561197960287930')
    const give = async (refreshToken: string) => {
      const asked = readChallenge((await client.ask('get-auto-login-challenge')).data)
      const info = serviceFacts.alpha.credentialInfo
      const text = JSON.stringify({ username: 'ada', refreshToken })
      return client.ask('provide-auto-login', { ...encryptCredential(text, { ...asked, info }) })
    }
    pics.logOnResults.push(EResult.AccessDenied)
    expect(await give(token)).toMatchObject({
      success: false,
      error: 'Login failed: Steam refuses the stored sign-in (AccessDenied)',
    })
    expect(readFileSync(join(folder, 'config', 'account.json'), 'utf8')).not.toContain(token)
    expect(await give(token)).toMatchObject({ success: true })
    expect((await client.ask('status')).data).toMatchObject({ isLoggedIn: true, username: 'ada' })
    expect(statesOf(client).at(-1)).toMatchObject({ state: 'logged-in' })
  })
})

describe('the library', () => {
  test('games that the account has and Windows can run', async () => {
    const { daemon } = alphaDaemons()
    const { client } = await daemon()
    await signIn(client)
    expect(readOwnedGames((await client.ask('get-owned-games')).data)).toEqual([
      { appId: '1000', name: 'Alpha Quest', imageUrl: null, minutesPlayedLast2Weeks: 0 },
      { appId: '2000', name: 'Bolts', imageUrl: null, minutesPlayedLast2Weeks: 90 },
    ])
  })

  test('demos, free games, and games that another account shares', async () => {
    const { daemon, pics } = alphaDaemons()
    const common = (name: string, type: string) => ({ name, info: { common: { name, type } } })
    pics.apps.set(6000, common('Quest Demo', 'Demo'))
    pics.apps.set(6100, common('Free Arena', 'Game'))
    pics.apps.set(6200, common('Sofa Racer', 'game'))
    // Free on demand; and borrowed, also of a game that the account has itself.
    pics.packages.set(6, { createdAt: now, apps: [6000, 6100], depots: [], extended: {} })
    pics.packages.set(7, { createdAt: now, flags: 16_384, apps: [6200, 1000], depots: [] })
    const { client } = await daemon()
    await signIn(client)
    const games = readOwnedGames((await client.ask('get-owned-games')).data)
    expect(games.map(({ name }) => name)).toEqual([
      'Alpha Quest',
      'Bolts',
      'Free Arena',
      'Quest Demo',
      'Sofa Racer (family sharing)',
    ])
    // What is borrowed was not bought.
    await client.ask('prefill', { recently_purchased: 'true' })
    expect(await client.ended()).toMatchObject({ totalApps: 3 })
  })

  test.each([
    ['recent', 'true', 1],
    ['recently_purchased', 'true', 1],
    ['top', '1', 0],
    ['top', '2', 1],
    ['all', 'true', 2],
  ])('%s=%s', async (name, value, totalApps) => {
    const { daemon, site } = alphaDaemons()
    site.ranks = [730, 1000]
    const { client } = await daemon()
    await signIn(client)
    await client.ask('prefill', { [name]: value })
    expect(await client.ended()).toMatchObject({ state: 'completed', totalApps, failedApps: 0 })
  })
})

describe('a prefill', () => {
  test('requests the chunks of the depots that the client would download, each once', async () => {
    const { daemon, site } = alphaDaemons()
    const { client } = await daemon()
    await signIn(client)
    await prefill(client, [1000])
    expect(await client.ended(1)).toMatchObject({ updatedApps: 1, failedApps: 0 })
    const chunks = site.requests.filter((path) => path.includes('/chunk/'))
    expect(chunks.toSorted()).toEqual(objectsOf([1001, 1002, 1004, 2001]).toSorted())
    const done = client.progress().find(({ state }) => state === 'app_completed')
    expect(done).toMatchObject({ currentAppId: '1000', currentAppName: 'Alpha Quest' })
    expect(done?.totalBytes).toBe(5 * 50_000 + 1000 + 70)
    expect(done?.depots.map(({ depotId, manifestId }) => `${depotId}:${manifestId}`)).toEqual(
      expect.arrayContaining(['1001:11', '1002:12', '1004:14', '2001:21']),
    )
    await prefill(client, [1000])
    expect(await client.ended(2)).toMatchObject({ alreadyUpToDate: 1 })
    expect(site.requests.filter((path) => path.includes('/chunk/'))).toHaveLength(chunks.length)
  })

  test('another system has other depots', async () => {
    const { daemon, site, pics, code } = alphaDaemons()
    site.publish(1003, '13', [[{ name: 'linux', bytes: 10 }]])
    pics.manifestCodes.set('1000 13', code)
    const { client } = await daemon()
    await signIn(client)
    await prefill(client, [1000], { os: 'linux' })
    expect(await client.ended()).toMatchObject({ updatedApps: 1 })
    const depots = new Set(site.requests.map((path) => Number(path.split('/')[2])))
    expect(depots).toEqual(new Set([1001, 1003, 1004, 2001]))
  })

  test('a manifest that Steam refuses fails its game, with the reason', async () => {
    const { daemon, pics, site } = alphaDaemons()
    pics.manifestCodes.delete('1000 12')
    const { client } = await daemon()
    await signIn(client)
    await prefill(client, [1000, 2000, 77])
    expect(await client.ended()).toMatchObject({ updatedApps: 1, failedApps: 2 })
    const errors = client.progress().flatMap(({ errorMessage }) => errorMessage ?? [])
    expect(errors).toEqual([
      'Steam refuses the manifest of depot 1002',
      'Steam does not know the app 77',
    ])
    // The other depots of the game were downloaded.
    const chunks = site.requests.filter((path) => path.includes('/chunk/'))
    expect(chunks.toSorted()).toEqual(objectsOf([1001, 1004, 2001, 2001]).toSorted())
  })

  test('the manifest of a borrowed depot is asked for in the name of the lender', async () => {
    const { daemon, pics, site, code } = alphaDaemons()
    const common = { name: 'Quest: More', type: 'dlc' }
    const depots = { 2002: { depotfromapp: '2000', manifests: { public: { gid: '22' } } } }
    pics.apps.set(1100, { name: 'Quest: More', info: { common, depots } })
    pics.packages.set(8, { createdAt: now, apps: [], depots: [2002] })
    site.publish(2002, '22', [[{ name: 'lent', bytes: 10 }]])
    pics.manifestCodes.set('2000 22', code)
    const { client } = await daemon()
    await signIn(client)
    await prefill(client, [1000])
    expect(await client.ended()).toMatchObject({ updatedApps: 1, failedApps: 0 })
    expect(site.chunkCalls.some(({ depotId }) => depotId === 2002)).toBe(true)
  })

  test('a lost connection is opened again', async () => {
    const { daemon, pics } = alphaDaemons()
    const { client } = await daemon()
    await signIn(client)
    pics.dropsAt.push(pics.count('products') + 1)
    await prefill(client, [1000])
    expect(await client.ended()).toMatchObject({ updatedApps: 1 })
    expect(pics.logOns).toHaveLength(2)
  })

  test('a connection that is lost between two requests is not used again', async () => {
    const { daemon, pics, cm } = alphaDaemons()
    const { client } = await daemon()
    await signIn(client)
    expect(cm.open).toBe(1)
    cm.drop()
    await eventually(() => cm.open === 0, 'the connection is lost')
    expect((await client.ask('get-owned-games')).success).toBe(true)
    expect(pics.logOns).toHaveLength(2)
  })
})
