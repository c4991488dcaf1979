import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AlphaStandIn } from '../../../test/support/stand-ins/alpha.ts'
import { testApp } from '../../../test/support/app.ts'
import { signInAs, signInOwner } from '../../../test/support/sign-in.ts'
import { storedTexts } from '../../../test/support/stored-texts.ts'
import { answerOf as answer } from '../../../test/support/answers.ts'

const goodKey = '0123456789ABCDEF0123456789abcdef'
const badKey = 'FEDCBA9876543210FEDCBA9876543210'
const base = '/api/alpha-api-keys'

let now = new Date('2026-03-01T12:00:00Z')

const steam = new AlphaStandIn()
const app = await testApp({
  environment: { Alpha__WebApiBaseUrl: steam.url },
  clock: { now: () => now, elapsedMs: () => now.getTime() },
})
const user = await signInAs(app, 'user')
afterAll(() => steam.stop())
beforeEach(() => {
  steam.keys.add(goodKey)
})
afterEach(async () => {
  await user.delete(`${base}/current`)
  steam.hasPublicList = false
  steam.keys.clear()
  steam.calls.length = 0
})

const status = async (query = '') => (await answer(await user.get(`${base}/status${query}`))).body

describe('invalid input', () => {
  test.each([undefined, {}, { apiKey: null }, { apiKey: '' }, { apiKey: ' \n' }])(
    '%p is missing',
    async (body) => {
      for (const path of ['', '/test']) {
        expect(await answer(await user.post(`${base}${path}`, body))).toEqual({
          status: 400,
          body: {
            error: 'Validation failed',
            message: 'The key is missing',
            errors: [{ field: 'ApiKey', message: 'The key is missing' }],
          },
        })
      }
    },
  )

  test.each([[{ apiKey: 7 }], [{ apiKey: [] }], [{ apiKey: 'A'.repeat(513) }]])(
    '%p has the wrong form',
    async (body) => {
      const { status, body: problem } = await answer(await user.post(base, body))
      expect([status, problem.title]).toEqual([400, 'One or more validation errors occurred.'])
    },
  )

  test('GET status?forceRefresh=perhaps', async () => {
    expect((await user.get(`${base}/status?forceRefresh=perhaps`)).status).toBe(400)
  })
})

describe('testing a key', () => {
  const accepted = 'Steam accepts this key'
  const form = 'A Steam Web API key has 32 characters, digits and the letters A to F'
  test.each([
    [goodKey, true, accepted],
    [` ${goodKey}\n`, true, accepted],
    [badKey, false, 'Steam does not accept this key'],
    ['too short', false, form],
    [`${goodKey}\r\nX-Other: 1`, false, form],
  ])('%p', async (apiKey, valid, message) => {
    expect(await answer(await user.post(`${base}/test`, { apiKey }))).toEqual({
      status: 200,
      body: { valid, message },
    })
    expect((await status()).hasApiKey).toBe(false)
  })
})

describe('storing a key', () => {
  test('answers 200, encrypts the key and updates the status', async () => {
    expect(await status()).toMatchObject({ version: 'V1NoKey', hasApiKey: false })
    const response = await user.post(base, { apiKey: goodKey })
    expect(response.headers.get('location')).toBe('/api/alpha-api-keys/status')
    expect(await answer(response)).toEqual({
      status: 200,
      body: { message: 'The key was stored', encrypted: true },
    })
    expect(app.credentials.read('alpha.webApiKey')).toMatchObject({ secret: goodKey })
    // Not the cached status.
    expect(await status()).toEqual({
      version: 'V1WithKey',
      isV2Available: false,
      isV1Available: true,
      hasApiKey: true,
      isFullyOperational: true,
      message: null,
      lastChecked: '2026-03-01T12:00:00.000Z',
    })
  })

  test.each([
    [badKey, 'Steam does not accept this key'],
    ['nonsense', 'A Steam Web API key has 32 characters, digits and the letters A to F'],
  ])('%p is refused and the previous key stays', async (apiKey, message) => {
    await user.post(base, { apiKey: goodKey })
    expect(await answer(await user.post(base, { apiKey }))).toEqual({
      status: 400,
      body: { error: message, message },
    })
    expect(app.credentials.read('alpha.webApiKey')).toMatchObject({ secret: goodKey })
  })

  test('removing works, and removing twice is no error', async () => {
    await user.post(base, { apiKey: goodKey })
    const gone = (message: string) => ({ status: 200, body: { success: true, message } })
    expect(await answer(await user.delete(`${base}/current`))).toEqual(gone('The key was removed'))
    expect(await answer(await user.delete(`${base}/current`))).toEqual(gone('There was no key'))
    expect(await status()).toMatchObject({ version: 'V1NoKey', hasApiKey: false })
  })

  test('rotating the installation key removes it', async () => {
    await user.post(base, { apiKey: goodKey })
    app.control.announceKeyRotated()
    expect(app.credentials.read('alpha.webApiKey')).toEqual({ state: 'none' })
  })
})

describe('status', () => {
  test('the V1 list is not requested while the keyless one works', async () => {
    steam.hasPublicList = true
    expect(await status()).toMatchObject({
      version: 'V2Active',
      isV2Available: true,
      isV1Available: false,
      isFullyOperational: true,
      message: null,
    })
    expect(steam.calls).toEqual(['publicList'])
  })

  test('a key that Steam no longer accepts', async () => {
    await user.post(base, { apiKey: goodKey })
    steam.keys.clear()
    expect(await status()).toMatchObject({
      version: 'BothFailed',
      isV1Available: false,
      hasApiKey: true,
      isFullyOperational: false,
      message: 'Steam does not accept the stored Web API key',
    })
  })

  test('is cached for 15 minutes unless a refresh is forced', async () => {
    await status()
    now = new Date(now.getTime() + 15 * 60_000 - 1)
    expect((await status()).lastChecked).toBe('2026-03-01T12:00:00.000Z')
    expect(steam.count('publicList')).toBe(1)
    await status('?forceRefresh=true')
    expect(steam.count('publicList')).toBe(2)
    now = new Date(now.getTime() + 15 * 60_000)
    await status('?forceRefresh=false')
    expect(steam.count('publicList')).toBe(3)
  })

  test('is what allows a full crawl, without another request', async () => {
    app.settings.set('setup.isCompleted', true)
    const setMode = async () => (await user.put('/api/depots/rebuild/config/mode', false)).status
    await status()
    expect(await setMode()).toBe(400)
    expect(steam.count('publicList')).toBe(1)
    steam.hasPublicList = true
    await status('?forceRefresh=true')
    expect(await setMode()).toBe(200)
    expect(steam.count('publicList')).toBe(2)
    app.settings.clear('setup.isCompleted')
  })

  test('concurrent callers share one request', async () => {
    const all = await Promise.all([1, 2, 3].map(() => status('?forceRefresh=true')))
    expect(new Set(all.map(({ lastChecked }) => lastChecked)).size).toBe(1)
    expect(steam.count('publicList')).toBe(1)
  })

  test('a result from before the key was stored is discarded', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    steam.hold = promise
    const early = status()
    app.credentials.keep('alpha.webApiKey', goodKey)
    await user.delete(`${base}/current`)
    steam.hold = null
    resolve()
    await early
    await status()
    expect(steam.count('publicList')).toBe(2)
  })
})

describe('failures', () => {
  test('Steam unreachable: nothing is stored, and the answer asks to retry later', async () => {
    const away = await testApp({ environment: { Alpha__WebApiBaseUrl: 'http://127.0.0.1:1' } })
    const browser = await signInOwner(away)
    const refused = await browser.post(base, { apiKey: goodKey })
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(await answer(refused)).toEqual({
      status: 503,
      body: { error: 'Steam cannot be reached; check the connection to the internet' },
    })
    expect((await answer(await browser.get(`${base}/status`))).body).toMatchObject({
      version: 'BothFailed',
      hasApiKey: false,
      isFullyOperational: false,
    })
    expect((await answer(await browser.post(`${base}/test`, { apiKey: goodKey }))).body.valid).toBe(
      false,
    )
    await away.stop()
  })

  test('a lost key file is reported, and storing the key again repairs it', async () => {
    await user.post(base, { apiKey: goodKey })
    const { sealed } = app.state.sqlite
      .query<{ sealed: string }, []>("SELECT sealed FROM credential WHERE name = 'alpha.webApiKey'")
      .get() ?? { sealed: '' }
    const other = sealed.startsWith('v1.A')
      ? sealed.replace('v1.A', 'v1.B')
      : `v1.A${sealed.slice(4)}`
    app.state.sqlite.run('UPDATE credential SET sealed = ?', [other])
    expect(await status('?forceRefresh=true')).toMatchObject({
      version: 'V1NoKey',
      hasApiKey: true,
      isFullyOperational: false,
      message: 'The stored Web API key can no longer be read; store it again',
    })
    expect((await user.post(base, { apiKey: goodKey })).status).toBe(200)
    expect(await status()).toMatchObject({ version: 'V1WithKey' })
  })

  test('an unusable key file is 503 and not a crash', async () => {
    const broken = await testApp({ environment: { Alpha__WebApiBaseUrl: steam.url } })
    const browser = await signInOwner(broken)
    writeFileSync(join(broken.root, 'data', 'security', 'seal.key'), 'not a key')
    expect((await answer(await browser.post(base, { apiKey: goodKey }))).status).toBe(503)
    expect(broken.logLines.join('')).toContain('does not hold a sealing key')
    expect(broken.logLines.join('')).not.toContain(goodKey)
    await broken.stop()
  })
})

test('keys never appear in clear in files or log lines', async () => {
  await user.post(base, { apiKey: goodKey })
  await user.post(base, { apiKey: badKey })
  await user.post(`${base}/test`, { apiKey: badKey })
  app.state.sqlite.run('PRAGMA wal_checkpoint(TRUNCATE)')
  const files = [...storedTexts(join(app.root, 'data')).values()]
  expect(files.some((text) => text.includes('alpha.webApiKey'))).toBe(true)
  const logged = app.logLines.join('')
  expect(logged).toContain('a Steam Web API key was stored')
  for (const key of [goodKey, badKey]) {
    expect(files.some((text) => text.includes(key))).toBe(false)
    expect(logged).not.toContain(key)
  }
})
