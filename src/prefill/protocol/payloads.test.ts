import { describe, expect, test } from 'bun:test'
import {
  appIdsText,
  cachedDepotsText,
  parseAppIds,
  parseCachedDepots,
  readAppIds,
  readCacheStatus,
  readDaemonFiles,
  readOwnedGames,
  readSelectedAppsStatus,
} from './apps.ts'
import { commandLimitMs } from './commands.ts'
import { MessageError } from './fields.ts'
import { challengeData, readAuthState, readChallenge, readStatus } from './login.ts'
import {
  durationText,
  isTerminal,
  progressData,
  progressOf,
  progressStates,
  readProgress,
} from './progress.ts'
import { parseWireJson } from './wire-json.ts'

const sent = (value: unknown) => parseWireJson(JSON.stringify(value))

test('status of all platforms', () => {
  expect(readStatus({ isLoggedIn: true, isInitialized: true, authExpiryUtc: 'then' })).toEqual({
    isLoggedIn: true,
    authExpiryUtc: 'then',
    username: null,
    accountDisplayName: null,
    isPrefilling: false,
    isLarders: false,
  })
  expect(readStatus({ isPrefilling: false }).isLarders).toBe(true)
  expect(() => readStatus({ isLoggedIn: 'yes' })).toThrow(MessageError)
})

test('auth-state knows two states', () => {
  const state = { state: 'awaiting-login', message: 'Login failed: no', displayName: null } as const
  expect(readAuthState(state)).toEqual(state)
  const { state: status, ...others } = state
  expect(readAuthState({ type: 'status-update', status, ...others })).toEqual(state)
  expect(() => readAuthState({ state: 'perhaps' })).toThrow(MessageError)
})

test('texts are cut to their limit', () => {
  const message = 'x'.repeat(100_000)
  expect(readAuthState({ state: 'logged-in', message }).message).toHaveLength(4000)
})

describe('challenge', () => {
  const challenge = {
    challengeId: '00112233445566778899aabbccddeeff',
    credentialType: 'device-code',
    email: null,
    authUrl: 'https://example.test/link',
    userCode: 'ABCD',
    serverPublicKey: 'BF',
    createdAt: '2026-01-01T00:00:00Z',
    expiresAt: '2026-01-02T00:00:00Z',
  } as const

  test('as it is sent and read', () => {
    expect(readChallenge(sent(challengeData(challenge)))).toEqual(challenge)
  })

  test('both spellings of the mail guard, and the other name of the address', () => {
    const { authUrl, ...rest } = challenge
    const other = { ...rest, credentialType: 'steam-guard', verificationUri: authUrl }
    expect(readChallenge(other)).toEqual({ ...challenge, credentialType: 'steamguard' })
  })

  test('an unknown type is refused', () => {
    expect(() => readChallenge({ ...challenge, credentialType: 'blood' })).toThrow(MessageError)
    expect(() => readChallenge({ ...challenge, challengeId: null })).toThrow(MessageError)
  })
})

describe('progress', () => {
  test('as it is sent and read, with ids as numbers or texts', () => {
    const progress = progressOf({
      state: 'app_completed',
      currentAppId: '440',
      currentAppName: 'A game',
      result: 'Success',
      totalBytes: 10,
      bytesDownloaded: 10,
      percentComplete: 100,
      elapsedSeconds: 3661.5,
      depots: [{ depotId: '441', manifestId: '18446744073709551615' }],
      updatedAt: '2026-01-01T00:00:00Z',
    })
    for (const hasNumericIds of [true, false]) {
      expect(readProgress(sent(progressData(progress, hasNumericIds)))).toEqual(progress)
    }
    const wire = JSON.stringify(progressData(progress, true))
    expect(wire).toContain('"currentAppId":440,')
    expect(wire).toContain('"manifestId":18446744073709551615')
    expect(wire).toContain('"elapsed":"01:01:01.5000000"')
  })

  test('without an app: 0 or an empty text', () => {
    const none = progressOf({ state: 'completed' })
    expect(JSON.stringify(progressData(none, true))).toContain('"currentAppId":0,')
    expect(JSON.stringify(progressData(none, false))).toContain('"currentAppId":"",')
    expect(readProgress({ state: 'completed', currentAppId: 0 }).currentAppId).toBeNull()
    const fractions = { bytesDownloaded: 1.5, bytesPerSecond: 1.5 }
    expect(readProgress({ state: 'downloading', ...fractions })).toMatchObject({
      bytesDownloaded: 1,
      bytesPerSecond: 1.5,
    })
  })

  test('three states end a run', () => {
    expect(progressStates.filter(isTerminal)).toEqual(['completed', 'error', 'cancelled'])
    expect(readProgress({ state: 'failed' }).state).toBe('error')
  })

  test.each([
    {},
    { state: 'sleeping' },
    { state: 'completed', totalBytes: -1 },
    { state: 'completed', totalBytes: 'many' },
    { state: 'completed', depots: 'all' },
    { state: 'completed', depots: [{ depotId: 1 }] },
  ])('refused: %p', (data) => expect(() => readProgress(data)).toThrow(MessageError))

  test('durations longer than a day count hours', () => {
    expect(durationText(90_061.25)).toBe('25:01:01.2500000')
  })
})

describe('apps', () => {
  test('ids as numbers or texts, and the best image', () => {
    const keyImages = [
      { type: 'Thumbnail', url: 'small' },
      { type: 'DieselGameBox', url: 'wide' },
    ]
    const games = readOwnedGames([
      { appId: 440, name: 'A', minutesPlayedLast2Weeks: 5 },
      { appId: 'd3', name: 'B', keyImages },
      { appId: 'w3' },
    ])
    expect(games).toEqual([
      { appId: '440', name: 'A', imageUrl: null, minutesPlayedLast2Weeks: 5 },
      { appId: 'd3', name: 'B', imageUrl: 'wide', minutesPlayedLast2Weeks: 0 },
      { appId: 'w3', name: 'w3', imageUrl: null, minutesPlayedLast2Weeks: 0 },
    ])
  })

  test('ids of digits are sent as numbers, all forms are read', () => {
    const ids = ['440', 'd3', '007', '99999999999999999999']
    expect(appIdsText(ids)).toBe('[440,"d3","007","99999999999999999999"]')
    expect(parseAppIds(appIdsText(ids))).toEqual(ids)
    expect(parseAppIds('[18446744073709551615]')).toEqual(['18446744073709551615'])
    for (const wrong of ['', '{}', '[null]', '[[]]', '[1.5]', '[""]']) {
      expect(() => parseAppIds(wrong)).toThrow(MessageError)
    }
    expect(() => readAppIds(Array(100_001).fill(1))).toThrow('more than')
  })

  test('depots keep all 64 bits', () => {
    const depots = [{ appId: '440', depotId: '441', manifestId: '18446744073709551615' }]
    const text = cachedDepotsText(depots)
    expect(text).toBe('[{"appId":440,"depotId":441,"manifestId":18446744073709551615}]')
    expect(parseCachedDepots(text)).toEqual(depots)
    expect(() => parseCachedDepots('[{"appId":1}]')).toThrow(MessageError)
  })

  test('status of the selection and of the cache', () => {
    const apps = [{ appId: 440, name: 'A', downloadSize: 9, isUpToDate: true }]
    expect(readSelectedAppsStatus({ apps, totalDownloadSize: 9 })).toEqual({
      apps: [
        {
          appId: '440',
          name: 'A',
          downloadSize: 9,
          isUpToDate: true,
          isUnsupportedOs: false,
          unavailableReason: null,
        },
      ],
      totalDownloadSize: 9,
      message: null,
    })
    expect(readCacheStatus({ apps, message: 'm' })).toEqual({
      apps: [{ appId: '440', name: 'A', isUpToDate: true }],
      message: 'm',
    })
    const files = { fileCount: 2, bytesCleared: 3, message: null }
    expect(readDaemonFiles({ success: true, ...files })).toEqual(files)
  })
})

test('limits of commands', () => {
  const limits = [
    commandLimitMs('auth', 'beta'),
    commandLimitMs('check-cache-status', 'alpha'),
    commandLimitMs('check-cache-status', 'beta'),
    commandLimitMs('prefill', 'gamma'),
  ]
  expect(limits).toEqual([10_000, 600_000, 300_000, 86_400_000])
})
