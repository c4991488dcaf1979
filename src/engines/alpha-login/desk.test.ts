import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { EResult, type ITransport } from 'steam-session'
import { AlphaCmStandIn } from '../../../test/support/alpha-cm-stand-in.ts'
import { AlphaStandIn } from '../../../test/support/alpha-stand-in.ts'
import type { SignInRequest } from './contract.ts'
import { LoginDesk } from './desk.ts'
import { WebTransport } from './web-transport.ts'

let steam: AlphaStandIn
let desk: LoginDesk

beforeEach(() => {
  steam = new AlphaStandIn()
  steam.accounts.set('plain', { password: 'crowbar' })
  steam.accounts.set('mail', { password: 'crowbar', guards: ['email'], code: 'M4IL5' })
  steam.accounts.set('device', { password: 'crowbar', guards: ['device', 'phone'], code: 'C0DE5' })
  steam.accounts.set('tap', { password: 'crowbar', guards: ['phone'] })
  desk = new LoginDesk()
})
afterEach(() => steam.stop())

const ask = (accountName: string, values: Partial<SignInRequest> = {}) =>
  desk.signIn({
    accountName,
    password: 'crowbar',
    code: null,
    allowsPhone: false,
    phoneWaitMs: 100,
    guardToken: null,
    webApiBaseUrl: steam.url,
    ...values,
  })

const signedIn = (accountName: string) => ({
  kind: 'signedIn' as const,
  accountName,
  refreshToken: steam.refreshToken,
  guardToken: steam.guardToken,
})
const codeNeeded = (code: 'email' | 'device', values: object = {}) => ({
  kind: 'codeNeeded' as const,
  code,
  isWrong: false,
  isExpired: false,
  ...values,
})

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(5)
}

describe('password', () => {
  test('is enough for an account without guards', async () => {
    expect(await ask('plain')).toEqual(signedIn('plain'))
  })

  test.each(['crowbär ✓', ' crowbar ', 'x'.repeat(64)])('%p arrives as typed', async (password) => {
    steam.accounts.set('other', { password })
    expect(await ask('other', { password })).toEqual(signedIn('other'))
    expect((await ask('other', { password: password.trim().slice(0, -1) })).kind).toBe('refused')
  })

  test.each([
    ['plain', 'wrong'],
    ['nobody', 'crowbar'],
  ])('of %s being %s is refused', async (accountName, password) => {
    expect(await ask(accountName, { password })).toEqual({
      kind: 'refused',
      reason: 'wrongPassword',
      result: 'InvalidPassword',
    })
  })
})

describe('code of the authenticator', () => {
  test('sent along at once', async () => {
    expect(await ask('device', { code: 'C0DE5' })).toEqual(signedIn('device'))
  })

  test('sent when asked for, after a wrong one, in one attempt', async () => {
    expect(await ask('device')).toEqual(codeNeeded('device'))
    expect(await ask('device', { code: 'WRONG' })).toEqual(codeNeeded('device', { isWrong: true }))
    expect(await ask('Device', { code: 'C0DE5' })).toEqual(signedIn('device'))
    expect(steam.count('BeginAuthSessionViaCredentials')).toBe(1)
  })

  test('wrong from the start', async () => {
    expect(await ask('device', { code: 'WRONG', allowsPhone: true })).toEqual(
      codeNeeded('device', { isWrong: true }),
    )
  })

  test('typed too late is used for a new attempt', async () => {
    await ask('device')
    steam.expire()
    expect(await ask('device', { code: 'C0DE5' })).toEqual(signedIn('device'))
    expect(steam.count('BeginAuthSessionViaCredentials')).toBe(2)
  })

  test('typed too late and wrong tells both', async () => {
    await ask('device')
    steam.expire()
    expect(await ask('device', { code: 'WRONG' })).toEqual(
      codeNeeded('device', { isWrong: true, isExpired: true }),
    )
  })

  test('is not used for another account or another password', async () => {
    await ask('device')
    expect(await ask('device', { code: 'C0DE5', password: 'other' })).toMatchObject({
      reason: 'wrongPassword',
    })
    await ask('device')
    expect(await ask('mail', { code: 'C0DE5' })).toEqual(codeNeeded('email', { isWrong: true }))
  })
})

describe('code by mail', () => {
  test('goes into the attempt that the mail was sent for', async () => {
    expect(await ask('mail')).toEqual(codeNeeded('email'))
    expect(await ask('mail', { code: 'WRONG' })).toEqual(codeNeeded('email', { isWrong: true }))
    expect(await ask('mail', { code: 'M4IL5' })).toEqual(signedIn('mail'))
    expect(steam.mails).toBe(1)
  })

  test('is sent again when somebody asks again without one', async () => {
    await ask('mail')
    await ask('mail')
    expect(steam.mails).toBe(2)
  })

  test('is not needed with the token of an earlier sign-in', async () => {
    expect(await ask('mail', { guardToken: steam.guardToken })).toEqual(signedIn('mail'))
    expect(steam.mails).toBe(0)
  })
})

describe('phone', () => {
  const waiting = async (accountName: string, values: Partial<SignInRequest> = {}) => {
    const outcome = ask(accountName, { allowsPhone: true, phoneWaitMs: 20_000, ...values })
    await until(() => steam.count('PollAuthSessionStatus') > 0)
    return { outcome }
  }

  test('a tap lets in', async () => {
    const { outcome } = await waiting('device')
    steam.tap(true)
    expect(await outcome).toEqual(signedIn('device'))
  })

  test('is waited for even when not allowed, where nothing else is offered', async () => {
    const { outcome } = await waiting('tap', { allowsPhone: false })
    steam.tap(true)
    expect(await outcome).toEqual(signedIn('tap'))
  })

  test('declined', async () => {
    const { outcome } = await waiting('device')
    steam.tap(false)
    expect(await outcome).toEqual(codeNeeded('device', { isExpired: true }))
    expect(await ask('device', { code: 'C0DE5' })).toEqual(signedIn('device'))
  })

  test('nobody taps: a code is asked for, and still does', async () => {
    expect(await ask('device', { allowsPhone: true, phoneWaitMs: 50 })).toEqual(
      codeNeeded('device'),
    )
    expect(await ask('device', { code: 'C0DE5' })).toEqual(signedIn('device'))
    expect(steam.count('BeginAuthSessionViaCredentials')).toBe(1)
  })

  test('a late tap counts when asked again', async () => {
    await ask('device', { allowsPhone: true, phoneWaitMs: 50 })
    steam.tap(true)
    const { outcome } = await waiting('device')
    expect(await outcome).toEqual(signedIn('device'))
    expect(steam.count('BeginAuthSessionViaCredentials')).toBe(1)
  })

  test('a tap at the moment the code is typed', async () => {
    await ask('device', { allowsPhone: true, phoneWaitMs: 50 })
    steam.tap(true)
    expect(await ask('device', { code: 'C0DE5' })).toEqual(signedIn('device'))
  })

  test.each([302, 503])('one lost answer (%p) does not end the wait', async (status) => {
    const { outcome } = await waiting('device')
    steam.statuses.set('PollAuthSessionStatus', status)
    const before = steam.calls.length
    await until(() => steam.calls.length > before)
    steam.statuses.clear()
    steam.tap(true)
    expect(await outcome).toEqual(signedIn('device'))
  })
})

describe('trouble at Steam', () => {
  const call = 'BeginAuthSessionViaCredentials'
  test.each([
    [EResult.Busy, 'busy', 'Busy'],
    [EResult.ServiceUnavailable, 'busy', 'ServiceUnavailable'],
    [EResult.RateLimitExceeded, 'tooMany', 'RateLimitExceeded'],
    [EResult.AccountLoginDeniedThrottle, 'tooMany', 'AccountLoginDeniedThrottle'],
    [EResult.AccountDisabled, 'other', 'AccountDisabled'],
    [9999, 'other', 'Invalid'],
  ] as const)('result %p is %s', async (result, reason, name) => {
    steam.failures.set(call, result)
    expect(await ask('plain')).toEqual({ kind: 'refused', reason, result: name })
  })

  test.each([
    [429, 'tooMany'],
    [503, 'busy'],
    [200, 'unreachable'],
    [404, 'unreachable'],
  ] as const)('status %p is %s', async (status, reason) => {
    steam.statuses.set(call, status)
    expect(await ask('plain')).toMatchObject({ kind: 'refused', reason })
  })

  test('nobody there', async () => {
    expect(await ask('plain', { webApiBaseUrl: 'http://127.0.0.1:1' })).toEqual({
      kind: 'refused',
      reason: 'unreachable',
      result: null,
    })
  })

  const dead: ITransport = {
    sendRequest: () => Promise.reject(new Error('no route')),
    close() {},
  }

  test('a proof that nobody knows is no trouble of the network', async () => {
    steam.accounts.set('future', { password: 'crowbar', guards: ['future'] })
    desk = new LoginDesk({
      ways: () => [new WebTransport(steam.url), new WebTransport(steam.url)],
    })
    expect(await ask('future')).toEqual({
      kind: 'refused',
      reason: 'other',
      result: 'unknown proof',
    })
    expect(steam.count(call)).toBe(1)
  })

  test('a way that leads nowhere gives way to the next', async () => {
    desk = new LoginDesk({ ways: () => [dead, new WebTransport(steam.url)] })
    expect(await ask('plain')).toEqual(signedIn('plain'))
  })

  test('so does one that is silent', async () => {
    const silent: ITransport = { sendRequest: () => new Promise(() => {}), close() {} }
    const ways = () => [silent, new WebTransport(steam.url)]
    desk = new LoginDesk({ ways, startWaitMs: 50 })
    expect(await ask('plain')).toEqual(signedIn('plain'))
  })

  test('an answer of Steam is final: a wrong password is not tried twice', async () => {
    desk = new LoginDesk({
      ways: () => [new WebTransport(steam.url), new WebTransport(steam.url)],
    })
    expect(await ask('plain', { password: 'wrong' })).toMatchObject({ reason: 'wrongPassword' })
    expect(steam.count(call)).toBe(1)
  })
})

describe('the way of Steam’s own client', () => {
  const servers = new AlphaCmStandIn()
  afterAll(() => servers.stop())

  beforeEach(async () => {
    servers.steam = steam
    const transport = await servers.transport()
    desk = new LoginDesk({ ways: () => [transport, new WebTransport('http://127.0.0.1:1')] })
  })

  test('password, code and phone over a WebSocket', async () => {
    expect(await ask('plain')).toEqual(signedIn('plain'))
    expect(await ask('plain', { password: 'wrong' })).toMatchObject({ reason: 'wrongPassword' })
    expect(await ask('device')).toEqual(codeNeeded('device'))
    expect(await ask('device', { code: 'WRONG' })).toEqual(codeNeeded('device', { isWrong: true }))
    expect(await ask('device', { code: 'C0DE5' })).toEqual(signedIn('device'))
    const waiting = ask('tap', { allowsPhone: true, phoneWaitMs: 20_000 })
    const polls = steam.count('PollAuthSessionStatus')
    await until(() => steam.count('PollAuthSessionStatus') > polls)
    steam.tap(true)
    expect(await waiting).toEqual(signedIn('tap'))
    expect(servers.connections).toBeGreaterThan(0)
  })

  test('with the web as the second one where it is closed', async () => {
    servers.steam = null
    const transport = await servers.transport()
    desk = new LoginDesk({ ways: () => [transport, new WebTransport(steam.url)] })
    const before = servers.connections
    expect(await ask('plain')).toEqual(signedIn('plain'))
    expect(servers.connections).toBeGreaterThan(before)
  })
})
