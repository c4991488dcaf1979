import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { EResult, type ITransport } from 'steam-session'
import { eventually } from '../../../test/support/eventually.ts'
import { AlphaCmStandIn } from '../../../test/support/alpha-cm-stand-in.ts'
import { AlphaStandIn } from '../../../test/support/stand-ins/alpha.ts'
import type { SignInRequest } from './contract.ts'
import { PendingSignIn } from './pending-sign-in.ts'
import { WebTransport } from './web-transport.ts'

let steam: AlphaStandIn
let signIns: PendingSignIn

beforeEach(() => {
  steam = new AlphaStandIn()
  steam.accounts.set('plain', { password: 'crowbar' })
  steam.accounts.set('mail', { password: 'crowbar', guards: ['email'], code: 'M4IL5' })
  steam.accounts.set('device', { password: 'crowbar', guards: ['device', 'phone'], code: 'C0DE5' })
  steam.accounts.set('tap', { password: 'crowbar', guards: ['phone'] })
  signIns = new PendingSignIn()
})
afterEach(() => steam.stop())

const ask = (accountName: string, values: Partial<SignInRequest> = {}) =>
  signIns.signIn({
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

describe('with a password', () => {
  test('signs in to an account without Steam Guard', async () => {
    expect(await ask('plain')).toEqual(signedIn('plain'))
  })

  test.each(['crowbär ✓', ' crowbar ', 'x'.repeat(64)])('sends %p unchanged', async (password) => {
    steam.accounts.set('other', { password })
    expect(await ask('other', { password })).toEqual(signedIn('other'))
    expect((await ask('other', { password: password.trim().slice(0, -1) })).kind).toBe('refused')
  })

  test.each([
    ['plain', 'wrong'],
    ['nobody', 'crowbar'],
  ])('refuses account %s with password %s', async (accountName, password) => {
    expect(await ask(accountName, { password })).toEqual({
      kind: 'refused',
      reason: 'wrongPassword',
      result: 'InvalidPassword',
    })
  })
})

describe('with an authenticator code', () => {
  test('accepts a code sent with the password', async () => {
    expect(await ask('device', { code: 'C0DE5' })).toEqual(signedIn('device'))
  })

  test('accepts a code sent on request after a wrong one, in the same attempt', async () => {
    expect(await ask('device')).toEqual(codeNeeded('device'))
    expect(await ask('device', { code: 'WRONG' })).toEqual(codeNeeded('device', { isWrong: true }))
    expect(await ask('Device', { code: 'C0DE5' })).toEqual(signedIn('device'))
    expect(steam.count('BeginAuthSessionViaCredentials')).toBe(1)
  })

  test('rejects a wrong code in the first call', async () => {
    expect(await ask('device', { code: 'WRONG', allowsPhone: true })).toEqual(
      codeNeeded('device', { isWrong: true }),
    )
  })

  test('uses a code that arrives too late for a new attempt', async () => {
    await ask('device')
    steam.expire()
    expect(await ask('device', { code: 'C0DE5' })).toEqual(signedIn('device'))
    expect(steam.count('BeginAuthSessionViaCredentials')).toBe(2)
  })

  test('reports a code that is both late and wrong', async () => {
    await ask('device')
    steam.expire()
    expect(await ask('device', { code: 'WRONG' })).toEqual(
      codeNeeded('device', { isWrong: true, isExpired: true }),
    )
  })

  test('does not use an open attempt for another account or password', async () => {
    await ask('device')
    expect(await ask('device', { code: 'C0DE5', password: 'other' })).toMatchObject({
      reason: 'wrongPassword',
    })
    await ask('device')
    expect(await ask('mail', { code: 'C0DE5' })).toEqual(codeNeeded('email', { isWrong: true }))
  })
})

describe('with an email code', () => {
  test('uses the code in the attempt that requested the email', async () => {
    expect(await ask('mail')).toEqual(codeNeeded('email'))
    expect(await ask('mail', { code: 'WRONG' })).toEqual(codeNeeded('email', { isWrong: true }))
    expect(await ask('mail', { code: 'M4IL5' })).toEqual(signedIn('mail'))
    expect(steam.mails).toBe(1)
  })

  test('requests another email when called again without a code', async () => {
    await ask('mail')
    await ask('mail')
    expect(steam.mails).toBe(2)
  })

  test('needs no code with the guard token of an earlier sign-in', async () => {
    expect(await ask('mail', { guardToken: steam.guardToken })).toEqual(signedIn('mail'))
    expect(steam.mails).toBe(0)
  })
})

describe('with the phone', () => {
  const waiting = async (accountName: string, values: Partial<SignInRequest> = {}) => {
    const outcome = ask(accountName, { allowsPhone: true, phoneWaitMs: 20_000, ...values })
    await eventually(() => steam.count('PollAuthSessionStatus') > 0, 'the approval is polled')
    return { outcome }
  }

  test('signs in after a tap', async () => {
    const { outcome } = await waiting('device')
    steam.tap(true)
    expect(await outcome).toEqual(signedIn('device'))
  })

  test('waits for a tap even if not allowed, when Steam offers nothing else', async () => {
    const { outcome } = await waiting('tap', { allowsPhone: false })
    steam.tap(true)
    expect(await outcome).toEqual(signedIn('tap'))
  })

  test('reports a declined confirmation', async () => {
    const { outcome } = await waiting('device')
    steam.tap(false)
    expect(await outcome).toEqual(codeNeeded('device', { isExpired: true }))
    expect(await ask('device', { code: 'C0DE5' })).toEqual(signedIn('device'))
  })

  test('asks for a code when the phone is not tapped, and accepts it', async () => {
    expect(await ask('device', { allowsPhone: true, phoneWaitMs: 50 })).toEqual(
      codeNeeded('device'),
    )
    expect(await ask('device', { code: 'C0DE5' })).toEqual(signedIn('device'))
    expect(steam.count('BeginAuthSessionViaCredentials')).toBe(1)
  })

  test('accepts a late tap on the next call', async () => {
    await ask('device', { allowsPhone: true, phoneWaitMs: 50 })
    steam.tap(true)
    const { outcome } = await waiting('device')
    expect(await outcome).toEqual(signedIn('device'))
    expect(steam.count('BeginAuthSessionViaCredentials')).toBe(1)
  })

  test('accepts a tap at the moment the code is sent', async () => {
    await ask('device', { allowsPhone: true, phoneWaitMs: 50 })
    steam.tap(true)
    expect(await ask('device', { code: 'C0DE5' })).toEqual(signedIn('device'))
  })

  test.each([302, 503])('keeps waiting after one lost answer (%p)', async (status) => {
    const { outcome } = await waiting('device')
    steam.statuses.set('PollAuthSessionStatus', status)
    const before = steam.calls.length
    await eventually(() => steam.calls.length > before, 'Steam is called')
    steam.statuses.clear()
    steam.tap(true)
    expect(await outcome).toEqual(signedIn('device'))
  })
})

describe('when Steam fails', () => {
  const call = 'BeginAuthSessionViaCredentials'
  test.each([
    [EResult.Busy, 'busy', 'Busy'],
    [EResult.ServiceUnavailable, 'busy', 'ServiceUnavailable'],
    [EResult.RateLimitExceeded, 'tooMany', 'RateLimitExceeded'],
    [EResult.AccountLoginDeniedThrottle, 'tooMany', 'AccountLoginDeniedThrottle'],
    [EResult.AccountDisabled, 'other', 'AccountDisabled'],
    [9999, 'other', 'Invalid'],
  ] as const)('maps result %p to %s', async (result, reason, name) => {
    steam.failures.set(call, result)
    expect(await ask('plain')).toEqual({ kind: 'refused', reason, result: name })
  })

  test.each([
    [429, 'tooMany'],
    [503, 'busy'],
    [200, 'unreachable'],
    [404, 'unreachable'],
  ] as const)('maps status %p to %s', async (status, reason) => {
    steam.statuses.set(call, status)
    expect(await ask('plain')).toMatchObject({ kind: 'refused', reason })
  })

  test('reports an unreachable server', async () => {
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

  test('does not report an unknown kind of proof as a network error', async () => {
    steam.accounts.set('future', { password: 'crowbar', guards: ['future'] })
    signIns = new PendingSignIn({
      transports: () => [new WebTransport(steam.url), new WebTransport(steam.url)],
    })
    expect(await ask('future')).toEqual({
      kind: 'refused',
      reason: 'other',
      result: 'unknown proof',
    })
    expect(steam.count(call)).toBe(1)
  })

  test('tries the next transport after one that cannot connect', async () => {
    signIns = new PendingSignIn({ transports: () => [dead, new WebTransport(steam.url)] })
    expect(await ask('plain')).toEqual(signedIn('plain'))
  })

  test('tries the next transport after one that does not answer', async () => {
    const silent: ITransport = { sendRequest: () => new Promise(() => {}), close() {} }
    const transports = () => [silent, new WebTransport(steam.url)]
    signIns = new PendingSignIn({ transports, startWaitMs: 3000 })
    expect(await ask('plain')).toEqual(signedIn('plain'))
  })

  test('treats an answer of Steam as final: does not try a wrong password twice', async () => {
    signIns = new PendingSignIn({
      transports: () => [new WebTransport(steam.url), new WebTransport(steam.url)],
    })
    expect(await ask('plain', { password: 'wrong' })).toMatchObject({ reason: 'wrongPassword' })
    expect(steam.count(call)).toBe(1)
  })
})

describe('over the transport of Steam’s own client', () => {
  const servers = new AlphaCmStandIn()
  afterAll(() => servers.stop())

  beforeEach(async () => {
    servers.steam = steam
    const transport = await servers.transport()
    signIns = new PendingSignIn({
      transports: () => [transport, new WebTransport('http://127.0.0.1:1')],
    })
  })

  test('sends password, code and phone confirmation over a WebSocket', async () => {
    expect(await ask('plain')).toEqual(signedIn('plain'))
    expect(await ask('plain', { password: 'wrong' })).toMatchObject({ reason: 'wrongPassword' })
    expect(await ask('device')).toEqual(codeNeeded('device'))
    expect(await ask('device', { code: 'WRONG' })).toEqual(codeNeeded('device', { isWrong: true }))
    expect(await ask('device', { code: 'C0DE5' })).toEqual(signedIn('device'))
    const waiting = ask('tap', { allowsPhone: true, phoneWaitMs: 20_000 })
    const polls = steam.count('PollAuthSessionStatus')
    await eventually(() => steam.count('PollAuthSessionStatus') > polls, 'the approval is polled')
    steam.tap(true)
    expect(await waiting).toEqual(signedIn('tap'))
    expect(servers.connections).toBeGreaterThan(0)
  })

  test('falls back to HTTPS where WebSockets are blocked', async () => {
    servers.steam = null
    const transport = await servers.transport()
    signIns = new PendingSignIn({ transports: () => [transport, new WebTransport(steam.url)] })
    const before = servers.connections
    expect(await ask('plain')).toEqual(signedIn('plain'))
    expect(servers.connections).toBeGreaterThan(before)
  })
})
