import { describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import {
  type Browser,
  signIn,
  signInAs,
  signInGuest,
  signInOwner,
  sessionIdOf,
} from '../../../test/support/sign-in.ts'
import type { UserPreferences } from './model.ts'
import { defaultPreferences } from './rules.ts'

const app = await testApp()
const owner = await signInOwner(app)
const user = await signInAs(app, 'user')
const guest = await signInGuest(app)

const path = '/api/user-preferences'
const read = async (browser: Browser) => (await (await browser.get(path)).json()) as UserPreferences

describe('own preferences', () => {
  test('are the defaults until stored', async () => {
    expect(await read(await signIn(app, 'owner'))).toEqual({ ...defaultPreferences })
  })

  test('a replacement sets the given members and resets the rest', async () => {
    const wanted = { selectedTheme: 'graphite', sharpCorners: true, refreshRate: 'slow' }
    expect((await user.put(path, wanted)).status).toBe(200)
    expect(await read(user)).toEqual({ ...defaultPreferences, ...wanted, refreshRate: 'SLOW' })
    expect((await user.put(path, { useUtcTimezone: true, useLocalTimezone: true })).status).toBe(
      200,
    )
    expect(await read(user)).toEqual({ ...defaultPreferences, useUtcTimezone: true })
  })

  test.each([
    ['selectedTheme', 'light-default', { selectedTheme: 'light-default' }],
    ['SHARPCORNERS', true, { sharpCorners: true }],
    ['use24HourFormat', false, { use24HourFormat: false }],
    ['refreshRate', 'unheard of', { refreshRate: null }],
    ['allowedTimeFormats', [], { allowedTimeFormats: null }],
    ['allowedTimeFormats', ['utc', 'utc', 'moon'], { allowedTimeFormats: ['utc'] }],
    ['alphaMaxThreadCount', 1000, { alphaMaxThreadCount: 256 }],
    ['refreshRateLocked', null, { refreshRateLocked: null }],
  ])('%s = %p', async (key, value, expected) => {
    await user.put(path, {})
    const response = await user.patch(`${path}/${key}`, value)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ success: true })
    expect(await read(user)).toMatchObject(expected)
  })

  test.each([
    ['nothingLikeIt', true],
    ['sharpCorners', 'yes'],
    ['sharpCorners', null],
    ['alphaMaxThreadCount', 1.5],
    ['allowedTimeFormats', 'utc'],
    ['constructor', true],
  ])('%s = %p is refused', async (key, value) => {
    const before = await read(user)
    const response = await user.patch(`${path}/${key}`, value)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ success: false, message: expect.any(String) })
    expect(await read(user)).toEqual(before)
  })

  test('UTC forces the 24-hour clock; local time disables UTC', async () => {
    const clock = { useUtcTimezone: true, useLocalTimezone: true, use24HourFormat: false }
    expect((await user.patch(`${path}/clock`, clock)).status).toBe(200)
    expect(await read(user)).toMatchObject({
      useUtcTimezone: true,
      useLocalTimezone: false,
      use24HourFormat: true,
    })
    expect((await user.patch(`${path}/useLocalTimezone`, true)).status).toBe(200)
    expect(await read(user)).toMatchObject({ useUtcTimezone: false, useLocalTimezone: true })
  })
})

describe('guests', () => {
  test('start with the guest defaults', async () => {
    app.settings.set('guest.themeId', 'graphite')
    const fresh = await signInGuest(app)
    expect(await read(fresh)).toEqual({ ...defaultPreferences, selectedTheme: 'graphite' })
    app.settings.clear('guest.themeId')
  })

  test.each(['refreshRateLocked', 'allowedTimeFormats', 'alphaMaxThreadCount'])(
    'cannot write %s',
    async (key) => {
      const response = await guest.patch(`${path}/${key}`, null)
      expect(response.status).toBe(403)
      expect(await response.text()).toBe('')
    },
  )

  test('cannot write the refresh rate while it is locked', async () => {
    const rate = `${path}/refreshRate`
    app.settings.set('guest.isRefreshRateLocked', false)
    expect((await guest.patch(rate, 'SLOW')).status).toBe(200)
    app.settings.set('guest.isRefreshRateLocked', true)
    const response = await guest.patch(rate, 'LIVE')
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('locked')
    expect((await guest.put(path, { refreshRate: 'LIVE' })).status).toBe(200)
    expect(await read(guest)).toMatchObject({ refreshRate: 'SLOW' })
    expect((await user.patch(rate, 'LIVE')).status).toBe(200)
    app.settings.clear('guest.isRefreshRateLocked')
  })

  test('replacing the rest keeps what was decided for them', async () => {
    const other = `${path}/session/${await sessionIdOf(guest)}`
    expect((await user.put(other, { alphaMaxThreadCount: 8 })).status).toBe(200)
    const wanted = { sharpCorners: true, alphaMaxThreadCount: 200 }
    expect((await guest.put(path, wanted)).status).toBe(200)
    expect(await read(guest)).toMatchObject({ sharpCorners: true, alphaMaxThreadCount: 8 })
    expect((await guest.get(other)).status).toBe(403)
  })
})

describe('preferences of another session', () => {
  test("are the defaults for an unknown session, and 404 for the owner's", async () => {
    const unknown = `${path}/session/${crypto.randomUUID()}`
    expect(await (await user.get(unknown)).json()).toEqual({ ...defaultPreferences })
    expect((await user.put(unknown, {})).status).toBe(404)
    const hidden = `${path}/session/${await sessionIdOf(owner)}`
    expect((await user.get(hidden)).status).toBe(404)
    expect((await user.put(hidden, {})).status).toBe(404)
    expect((await owner.get(hidden)).status).toBe(200)
    expect((await user.get(`${path}/session/7`)).status).toBe(400)
  })
})

test("resetting guests clears theirs and nobody else's", async () => {
  await guest.put(path, { sharpCorners: true })
  await user.put(path, { sharpCorners: true })
  const answer = await user.post('/api/sessions/bulk/reset-to-defaults')
  const reset = (await answer.json()) as { affectedCount: number }
  expect(reset.affectedCount).toBeGreaterThanOrEqual(1)
  expect(await read(guest)).toEqual({ ...defaultPreferences })
  expect(await read(user)).toMatchObject({ sharpCorners: true })
})
