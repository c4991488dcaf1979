import { describe, expect, test } from 'bun:test'
import {
  challenge,
  loginEnd as end,
  provide,
  statesOf,
} from '../../../test/support/daemon-login.ts'
import type { DaemonClient } from '../../../test/support/daemon-client.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { practiceGame, practiceOrigin } from '../../../test/support/practice-origin.ts'
import { testDaemon } from '../../../test/support/test-daemon.ts'
import type { Platform } from '../../platforms/platforms.ts'
import { serviceFacts } from '../../platforms/service-facts.ts'
import { encryptCredential } from '../protocol/credentials.ts'
import { readChallenge } from '../protocol/login.ts'
import type { PracticeCatalogue } from './practice/engine.ts'

type Step = NonNullable<PracticeCatalogue['login']>['steps'][number]

async function fixture(platform: Platform, steps: Step[]) {
  const login = { displayName: 'Ada', steps }
  const origin = practiceOrigin({ games: [practiceGame('1')], login })
  const environment = { PREFILL_PRACTICE_ORIGIN: origin.url }
  const daemon = await testDaemon({ platform, cachePort: origin.port, environment })
  return { origin, ...daemon }
}

test('before the login most commands are refused with requiresLogin', async () => {
  const { client } = await fixture('alpha', [])
  for (const type of ['get-owned-games', 'prefill', 'shutdown', 'unheard-of']) {
    const error = 'Authentication required. Please login first.'
    expect(await client.ask(type)).toMatchObject({ success: false, error, requiresLogin: true })
  }
  expect((await client.ask('status')).data).toMatchObject({
    isLoggedIn: false,
    isInitialized: true,
  })
})

test('alpha: user name, password, code; a wrong password is asked again', async () => {
  const { client } = await fixture('alpha', [
    { credentialType: 'username' },
    { credentialType: 'password', expected: 'pässword' },
    { credentialType: 'steamguard', email: 'example.test' },
  ])
  expect((await client.ask('login')).message).toBe('Login started - awaiting credentials')
  expect((await client.ask('login')).message).toBe('Login already in progress')
  await provide(client, 'alpha', { count: 1, text: 'ada' })
  await provide(client, 'alpha', { count: 2, text: 'wrong' })
  await provide(client, 'alpha', { count: 3, text: 'pässword' })
  const guard = await challenge(client, 4)
  expect(guard).toMatchObject({ credentialType: 'steamguard', email: 'example.test' })
  expect(guard.challengeId).toMatch(/^[0-9a-f]{32}$/)
  const lifeMs = Date.parse(guard.expiresAt) - Date.parse(guard.createdAt)
  expect(lifeMs).toBe(300_000)
  await provide(client, 'alpha', { count: 4, text: '12345' })
  expect(await end(client)).toEqual({
    state: 'logged-in',
    message: 'Authenticated and ready for commands',
    displayName: 'Ada',
  })
  expect(statesOf(client)).toHaveLength(1)
  expect((await client.ask('status')).data).toMatchObject({ isLoggedIn: true, username: 'ada' })
  expect((await client.ask('login')).message).toBe('Already logged in')
  expect((await client.ask('get-owned-games')).success).toBe(true)
})

test.each(['2fa', 'device-confirmation', 'authorization-url'] as const)('%s', async (type) => {
  const { client } = await fixture('beta', [
    { credentialType: type, authUrl: 'https://example.test/code' },
  ])
  await client.ask('login')
  const asked = await challenge(client, 1)
  expect(asked).toMatchObject({ credentialType: type, authUrl: 'https://example.test/code' })
  await provide(client, 'beta', { count: 1, text: 'confirm' })
  expect(await end(client)).toMatchObject({ state: 'logged-in' })
})

test('device-code needs no credential: the daemon notices the approval', async () => {
  const { client, origin } = await fixture('epsilon', [
    { credentialType: 'device-code', userCode: 'ABCD', authUrl: 'https://example.test/link' },
  ])
  await client.ask('login')
  const shown = await challenge(client, 1)
  expect(shown).toMatchObject({ userCode: 'ABCD', authUrl: 'https://example.test/link' })
  expect(Date.parse(shown.expiresAt) - Date.parse(shown.createdAt)).toBe(86_400_000)
  expect((await provide(client, 'epsilon', { count: 1, text: 'x' })).success).toBe(false)
  origin.approve()
  expect(await end(client)).toMatchObject({ state: 'logged-in' })
})

test('three wrong credentials end the login', async () => {
  const { client } = await fixture('alpha', [{ credentialType: 'password', expected: 'right' }])
  await client.ask('login')
  for (const count of [1, 2, 3]) await provide(client, 'alpha', { count, text: 'wrong' })
  expect(await end(client)).toMatchObject({
    state: 'awaiting-login',
    message: 'Login failed: the credential is wrong',
  })
})

test('a credential that cannot be decrypted fails the login, not the command', async () => {
  const { client } = await fixture('alpha', [{ credentialType: 'password' }])
  await client.ask('login')
  const answer = await provideFor(client, 'another platform')
  expect(answer).toMatchObject({ success: true, message: 'Credential received' })
  expect(await end(client)).toMatchObject({
    state: 'awaiting-login',
    message: 'Login failed: the credential cannot be decrypted',
  })
})

async function provideFor(client: DaemonClient, info: string) {
  const asked = await challenge(client, 1)
  return client.ask('provide-credential', { ...encryptCredential('x', { ...asked, info }) })
}

test('a challenge is valid once, and parameters must be complete', async () => {
  const { client } = await fixture('alpha', [
    { credentialType: 'username' },
    { credentialType: 'password' },
  ])
  await client.ask('login')
  expect((await provide(client, 'alpha', { count: 1, text: 'ada' })).success).toBe(true)
  const again = await provide(client, 'alpha', { count: 1, text: 'ada' })
  expect(again.error).toBe('No matching login challenge is pending for this credential')
  const incomplete = await client.ask('provide-credential', { challengeId: 'x' })
  expect(incomplete.error).toBe('Missing required credential parameters')
})

test('a cancelled login ends once, and another one can start', async () => {
  const { client } = await fixture('alpha', [{ credentialType: 'username' }])
  await client.ask('login')
  await challenge(client, 1)
  expect((await client.ask('cancel-login')).success).toBe(true)
  expect(await end(client)).toEqual({
    state: 'awaiting-login',
    message: 'Login cancelled - ready for new attempt',
    displayName: null,
  })
  expect((await provide(client, 'alpha', { count: 1, text: 'late' })).success).toBe(false)
  await client.ask('login')
  await provide(client, 'alpha', { count: 2, text: 'ada' })
  await eventually(() => statesOf(client).length === 2, 'the second login ends')
  expect(statesOf(client)[1]?.state).toBe('logged-in')
  expect((await client.ask('logout')).success).toBe(true)
  expect((await client.ask('status')).data).toMatchObject({ isLoggedIn: false })
})

/** A daemon that accepts the token `T0KEN`. */
async function storedFixture(platform: Platform) {
  const login = { displayName: 'Ada', steps: [], refreshToken: 'T0KEN' }
  const origin = practiceOrigin({ games: [practiceGame('1')], login })
  const environment = { PREFILL_PRACTICE_ORIGIN: origin.url }
  return testDaemon({ platform, cachePort: origin.port, environment })
}

const storedFor = (data: unknown, platform: Platform, stored: object) => {
  const asked = readChallenge(data)
  expect(asked.credentialType).toBe('auto-login')
  const info = serviceFacts[platform].credentialInfo
  return { ...encryptCredential(JSON.stringify(stored), { ...asked, info }) }
}

describe('a stored sign-in', () => {
  test('alpha: for a challenge that is asked for; it is valid once', async () => {
    const { client } = await storedFixture('alpha')
    const { data } = await client.ask('get-auto-login-challenge')
    const parameters = storedFor(data, 'alpha', { username: 'ada', refreshToken: 'T0KEN' })
    expect(await client.ask('provide-auto-login', parameters)).toMatchObject({ success: true })
    expect((await client.ask('status')).data).toMatchObject({ isLoggedIn: true, username: 'ada' })
    expect(await end(client)).toMatchObject({ state: 'logged-in', displayName: 'Ada' })
    expect(await client.ask('provide-auto-login', parameters)).toMatchObject({
      success: false,
      error: 'No matching login challenge is pending for this credential',
    })
  })

  test('alpha: a refused one says so, without the token', async () => {
    const { client } = await storedFixture('alpha')
    const { data } = await client.ask('get-auto-login-challenge')
    const parameters = storedFor(data, 'alpha', { username: 'ada', refreshToken: 'old' })
    expect(await client.ask('provide-auto-login', parameters)).toMatchObject({
      success: false,
      error: 'Login failed: the stored sign-in was refused',
    })
    expect(await end(client)).toMatchObject({ state: 'awaiting-login' })
    const again = await client.ask('get-auto-login-challenge')
    const empty = await client.ask('provide-auto-login', storedFor(again.data, 'alpha', {}))
    expect(empty.success).toBe(false)
  })

  test('epsilon: the first call answers with the challenge', async () => {
    const { client } = await storedFixture('epsilon')
    const { data } = await client.ask('provide-auto-login')
    const stored = { refreshToken: 'T0KEN', deviceKeyPkcs8: 'key' }
    const answer = await client.ask('provide-auto-login', storedFor(data, 'epsilon', stored))
    expect(answer.success).toBe(true)
    expect((await client.ask('status')).data).toMatchObject({ isLoggedIn: true })
  })

  test('beta: a login that asks for the token', async () => {
    const { client } = await storedFixture('beta')
    expect((await client.ask('provide-auto-login')).message).toStartWith('Login started')
    expect(await challenge(client, 1)).toMatchObject({ credentialType: 'refresh-token' })
    await provide(client, 'beta', { count: 1, text: 'T0KEN' })
    expect(await end(client)).toMatchObject({ state: 'logged-in', displayName: 'Ada' })
  })

  test('is unknown where there are no accounts', async () => {
    const { client } = await storedFixture('gamma')
    for (const type of ['get-auto-login-challenge', 'provide-auto-login']) {
      expect((await client.ask(type)).error).toBe(`Unknown command type: ${type}`)
    }
  })
})
