import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EResult } from 'steam-session'
import { eventually } from '../../../test/support/eventually.ts'
import { AlphaStandIn, tokenFor } from '../../../test/support/stand-ins/alpha.ts'
import { testApp } from '../../../test/support/app.ts'
import { signInAs, signInOwner } from '../../../test/support/sign-in.ts'
import { slowness } from '../../../test/support/slowness.ts'
import { storedTexts } from '../../../test/support/stored-texts.ts'
import { answerOf as answer } from '../../../test/support/answers.ts'

const base = '/api/alpha-auth'
const password = 'Black-Mesa-East-7'

let now = new Date('2026-03-01T12:00:00Z')

const steam = new AlphaStandIn()
steam.accounts.set('plain', { password })
steam.accounts.set('mail', { password, guards: ['email'], code: 'M4IL5' })
steam.accounts.set('device', { password, guards: ['device', 'phone'], code: 'C0DE5' })
// Long enough for two further sign-ins meanwhile.
const phoneWait = String(Math.ceil(3 * slowness))
const app = await testApp({
  environment: { Alpha__WebApiBaseUrl: steam.url, Alpha__PhoneWaitSeconds: phoneWait },
  clock: { now: () => now, elapsedMs: () => now.getTime() },
})
const user = await signInAs(app, 'user')
afterAll(() => steam.stop())
beforeEach(() => {
  // Advances the clock, so that no test hits the rate limit of the previous one.
  now = new Date(now.getTime() + 300_000)
})
afterEach(async () => {
  steam.failures.clear()
  steam.calls.length = 0
  steam.mails = 0
  await user.delete(base)
  app.settings.clear('alpha.authMode')
})

const login = async (username: string, more: object = {}) =>
  answer(await user.post(`${base}/login`, { username, password, ...more }))
const status = async () => (await answer(await user.get(`${base}/status`))).body
const refused = (error: string) => ({ status: 400, body: { error } })

const report = {
  success: false,
  message: null,
  authMode: null,
  username: null,
  status: null,
  requiresTwoFactor: false,
  requiresEmailCode: false,
  sessionExpired: false,
}
const signedIn = (username: string) => ({
  status: 200,
  body: {
    ...report,
    success: true,
    message: 'Signed in on Steam',
    authMode: 'authenticated',
    username,
  },
})
const nobody = {
  mode: '',
  username: '',
  isAuthenticated: false,
  authMode: '',
  isConnected: false,
  hasStoredCredentials: false,
}

test('ten sign-ins per five minutes and address', async () => {
  for (let call = 0; call < 10; call++) {
    expect((await user.post(`${base}/login`, {})).status).toBe(400)
  }
  const limited = await user.post(`${base}/login`, {})
  expect(Number(limited.headers.get('retry-after'))).toBe(300)
  expect((await answer(limited)).status).toBe(429)
  expect((await user.get(`${base}/status`)).status).toBe(200)
})

describe('invalid input', () => {
  test.each([
    ['username', { username: 'x'.repeat(65) }],
    ['password', { password: 'x'.repeat(257) }],
    ['twoFactorCode', { twoFactorCode: '12345678901' }],
    ['twoFactorCode', { twoFactorCode: '12-45' }],
    ['emailCode', { emailCode: 'ÄBCDE' }],
    ['emailCode', { emailCode: 12_345 }],
    ['allowMobileConfirmation', { allowMobileConfirmation: 'yes' }],
  ])('%s', async (field, body) => {
    const { status: code, body: problem } = await login('plain', body)
    expect([code, problem.title]).toEqual([400, 'One or more validation errors occurred.'])
    expect(Object.keys(problem.errors as object)).toEqual([field])
    expect(JSON.stringify(problem)).not.toContain(password)
    expect(steam.calls).toEqual([])
  })

  test.each([undefined, {}, { mode: null }, { mode: '' }, { mode: 'both' }])(
    'mode %p',
    async (body) => {
      expect(await answer(await user.put(`${base}/mode`, body))).toEqual(
        refused('The mode is missing or unknown: anonymous or authenticated'),
      )
    },
  )

  test('a numeric mode', async () => {
    expect((await user.put(`${base}/mode`, { mode: 1 })).status).toBe(400)
  })
})

describe('signing in', () => {
  test('with the password alone; it survives a restart', async () => {
    expect(await login(' plain ')).toEqual(signedIn('plain'))
    const known = { isAuthenticated: true, isConnected: true, hasStoredCredentials: true }
    const mode = { mode: 'authenticated', authMode: 'authenticated' }
    expect(await status()).toEqual({ ...mode, username: 'plain', ...known })
    expect(app.credentials.read('alpha.refreshToken')).toMatchObject({
      secret: steam.refreshToken,
      label: 'plain',
    })
  })

  test('with an authenticator code in lower case', async () => {
    const device = { allowMobileConfirmation: false }
    const asked = { ...report, requiresTwoFactor: true }
    expect(await login('device', device)).toEqual({
      status: 200,
      body: { ...asked, message: 'Type the code of the Steam Guard authenticator.' },
    })
    expect(await login('device', { ...device, twoFactorCode: 'WRONG' })).toEqual({
      status: 200,
      body: {
        ...asked,
        message: 'Steam did not accept this code. Type the code of the Steam Guard authenticator.',
      },
    })
    expect(await status()).toEqual(nobody)
    expect(await login('device', { twoFactorCode: 'c0de5' })).toEqual(signedIn('device'))
    expect(steam.count('BeginAuthSessionViaCredentials')).toBe(1)
  })

  test('with an emailed code, which is not needed next time', async () => {
    expect(await login('mail')).toEqual({
      status: 200,
      body: {
        ...report,
        requiresEmailCode: true,
        message: 'Type the code that Steam has sent by mail.',
      },
    })
    expect(await login('mail', { emailCode: 'M4IL5', twoFactorCode: null })).toEqual(
      signedIn('mail'),
    )
    expect(await login('MAIL')).toEqual(signedIn('mail'))
    expect(steam.mails).toBe(1)
    await user.delete(base)
    expect((await login('mail')).body.requiresEmailCode).toBe(true)
  })

  test('with approval on the phone', async () => {
    const waiting = login('device')
    await eventually(() => steam.count('PollAuthSessionStatus') > 0, 'the approval is polled')
    steam.tap(true)
    expect(await waiting).toEqual(signedIn('device'))
  })

  test('without approval, asks for a code and accepts it', async () => {
    expect((await login('device')).body).toMatchObject({
      success: false,
      requiresTwoFactor: true,
      sessionExpired: false,
      authMode: null,
    })
    expect(await login('device', { twoFactorCode: 'C0DE5' })).toEqual(signedIn('device'))
  })

  test('declined on the phone', async () => {
    const waiting = login('device')
    await eventually(() => steam.count('PollAuthSessionStatus') > 0, 'the approval is polled')
    steam.tap(false)
    expect((await waiting).body).toEqual({
      ...report,
      requiresTwoFactor: true,
      sessionExpired: true,
      message:
        'The sign-in was declined or took too long. Type the code of the Steam Guard authenticator.',
    })
  })

  test.each([
    [EResult.InvalidPassword, 'Steam refused the username or password'],
    [EResult.ServiceUnavailable, 'Steam is busy at the moment; try again later'],
    [EResult.RateLimitExceeded, 'Steam has seen too many attempts; try again later'],
    [EResult.Banned, 'Steam refused the sign-in'],
  ])('refused by Steam (%p)', async (result, text) => {
    steam.failures.set('BeginAuthSessionViaCredentials', result)
    expect(await login('plain')).toEqual(refused(text))
    expect(await status()).toEqual(nobody)
    steam.failures.clear()
    expect(await login('plain')).toEqual(signedIn('plain'))
  })
})

describe('concurrency', () => {
  const waitingLogin = async () => {
    const waiting = login('device')
    await eventually(() => steam.count('PollAuthSessionStatus') > 0, 'the approval is polled')
    return { waiting }
  }

  test('a second attempt is refused while the first waits', async () => {
    const { waiting } = await waitingLogin()
    expect(await login('plain')).toEqual(
      refused('Another Steam sign-in is in progress; wait until it ends'),
    )
    steam.tap(true)
    expect(await waiting).toEqual(signedIn('device'))
    expect(await login('plain')).toEqual(signedIn('plain'))
  })

  test('signing out aborts the running attempt', async () => {
    const { waiting } = await waitingLogin()
    expect((await user.delete(base)).status).toBe(200)
    expect(await waiting).toEqual(refused('The sign-in was cancelled'))
    steam.tap(true)
    expect(await status()).toEqual(nobody)
  })
})

describe('modes', () => {
  const mode = (body: object) => user.put(`${base}/mode`, body)

  test('are stored and do not reveal the account', async () => {
    await login('plain')
    expect(await answer(await mode({ mode: 'Anonymous' }))).toEqual({
      status: 200,
      body: { success: true, message: 'Steam is used without an account', mode: 'anonymous' },
    })
    expect(await status()).toMatchObject({
      mode: 'anonymous',
      authMode: 'anonymous',
      username: 'plain',
      hasStoredCredentials: true,
    })
    expect((await answer(await mode({ mode: 'authenticated' }))).body).toMatchObject({
      mode: 'authenticated',
    })
  })

  const connected = { ...report, status: 'connected' }
  const without = { ...connected, message: 'Steam is used without an account' }
  const withOne = { ...connected, message: 'Steam is used with an account' }

  test('are answered to a login without name or password', async () => {
    const ask = (body: object) => user.post(`${base}/login`, body)
    expect(await answer(await ask({}))).toEqual(
      refused('Choose the anonymous or authenticated mode for Steam first'),
    )
    const withoutBody = await user.send('POST', `${base}/login`)
    expect(await answer(withoutBody)).toEqual(
      refused('Choose the anonymous or authenticated mode for Steam first'),
    )
    await mode({ mode: 'anonymous' })
    for (const body of [{}, { username: 'plain' }, { password }, { username: ' ', password }]) {
      expect(await answer(await ask(body))).toEqual({
        status: 200,
        body: { ...without, authMode: 'anonymous' },
      })
    }
    await login('plain')
    expect(await answer(await ask({}))).toEqual({
      status: 200,
      body: { ...withOne, authMode: 'authenticated', username: 'plain' },
    })
  })
})

describe('signing out', () => {
  test('removes the account and resets the mode', async () => {
    await login('plain')
    expect(await answer(await user.delete(base))).toEqual({
      status: 200,
      body: { success: true, message: 'Signed out on Steam' },
    })
    expect(await status()).toEqual({ ...nobody, mode: 'anonymous', authMode: 'anonymous' })
    expect(app.credentials.read('alpha.guardToken')).toEqual({ state: 'none' })
    expect((await answer(await user.delete(base))).body.message).toBe(
      'No Steam account was signed in',
    )
  })

  test('a new installation key signs out', async () => {
    await login('plain')
    app.control.announceKeyRotated()
    expect(await status()).toMatchObject({ username: '', hasStoredCredentials: false })
  })
})

test('an expired or unreadable token is not connected', async () => {
  await login('plain')
  const ended = tokenFor('1', { endsAt: new Date(now.getTime() - 1000) })
  app.credentials.keep('alpha.refreshToken', ended, 'plain')
  expect(await status()).toMatchObject({ hasStoredCredentials: true, isConnected: false })
  app.state.sqlite.run("UPDATE credential SET sealed = 'v1.x.y'")
  expect(await status()).toMatchObject({ username: 'plain', isConnected: false })
  expect(await login('plain')).toEqual(signedIn('plain'))
})

test('a sign-in that cannot be stored is 503 and stores nothing', async () => {
  const broken = await testApp({ environment: { Alpha__WebApiBaseUrl: steam.url } })
  const browser = await signInOwner(broken)
  writeFileSync(join(broken.root, 'data', 'security', 'seal.key'), 'not a key')
  const response = await browser.post(`${base}/login`, { username: 'plain', password })
  expect((await answer(response)).status).toBe(503)
  expect((await answer(await browser.get(`${base}/status`))).body).toEqual(nobody)
  await broken.stop()
})

test('passwords, codes and tokens never appear in clear in files or log lines', async () => {
  await login('plain')
  await login('plain', { password: 'Wrong-Password-1' })
  await login('device', { twoFactorCode: 'C0DE5' })
  app.state.sqlite.run('PRAGMA wal_checkpoint(TRUNCATE)')
  const files = [...storedTexts(join(app.root, 'data')).values()]
  expect(files.some((text) => text.includes('alpha.refreshToken'))).toBe(true)
  const logged = app.logLines.join('')
  expect(logged).toContain('signed in on Steam')
  const secrets = [password, 'Wrong-Password-1', 'C0DE5', steam.refreshToken, steam.guardToken]
  for (const secret of secrets) {
    expect(files.some((text) => text.includes(secret))).toBe(false)
    expect(logged).not.toContain(secret)
  }
})
