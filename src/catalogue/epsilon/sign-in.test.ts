import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { epsilonApp, epsilonBase } from '../../../test/support/epsilon-app.ts'
import type { Trouble } from '../../../test/support/stand-ins/serve-locally.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { storedTexts } from '../../../test/support/stored-texts.ts'
import { userAgent } from '../../core/lib/outside.ts'

const fixture = await epsilonApp()
const { xbox, time, events, app, user, runs, idle } = fixture
const { answer, start, poll, stateOf, authStates, read, signIn, refresh } = fixture

describe('sign-in', () => {
  test('shows the code, waits for the approval and collects titles', async () => {
    xbox.steps = ['pending', 'pending', 'approve']
    const { status, body } = await start()
    expect(status).toBe(200)
    expect(body).toEqual({
      userCode: expect.stringMatching(/^CODE\d+$/),
      verificationUri: 'https://www.microsoft.com/link',
      expiresIn: 900,
      interval: 5,
      operationId: app.operations.active('epsilonMapping')?.id,
    })
    expect(await read('/auth-status')).toEqual({
      isAuthenticated: false,
      displayName: null,
      lastCollectionUtc: null,
      gamesDiscovered: 0,
      expiresAtUtc: null,
      loginInProgress: true,
    })
    await poll()
    await poll()
    await poll()
    await idle()
    const lastCollectionUtc = app.settings.get('epsilon.lastRefresh')
    const endMs = Date.parse(lastCollectionUtc ?? '') + 90 * 86_400_000
    expect(await read('/auth-status')).toEqual({
      isAuthenticated: true,
      displayName: 'Some Gamer',
      lastCollectionUtc,
      gamesDiscovered: 2,
      expiresAtUtc: new Date(endMs).toISOString(),
      loginInProgress: false,
    })
    const { operationId } = body
    expect(authStates()).toMatchObject([
      { operationId, status: 'waiting', stageKey: 'signalr.epsilon.mapping.authenticating' },
      { operationId, status: 'completed', stageKey: 'signalr.epsilon.mapping.completed' },
    ])
    const facts = { totalGames: 2, newGames: 2, updatedGames: 0 }
    expect(stateOf('EpsilonGameMappingsUpdated')[0]?.data).toMatchObject(facts)
  })

  test('goes through the documented calls; every signature is valid', async () => {
    await signIn()
    expect(xbox.calls).toEqual(
      'code token user xsts device xsts profile titles product package product package'.split(' '),
    )
    expect([...xbox.userAgents]).toEqual([
      userAgent,
      `Microsoft.Xbox.GameStreaming/10.0 ${userAgent}`,
    ])
  })

  test('is the same device every time', async () => {
    await signIn()
    await user.delete(`${epsilonBase}/auth`)
    await signIn()
    expect(xbox.devices.size).toBe(1)
  })

  test('that is declined fails', async () => {
    xbox.steps = ['decline']
    await signIn()
    const error = 'Microsoft refused the sign-in; sign in again'
    expect(authStates().at(-1)).toMatchObject({ status: 'failed', error })
    expect(runs()[0]).toMatchObject({ status: 'failed', error })
    const nobody = { isAuthenticated: false, loginInProgress: false }
    expect(await read('/auth-status')).toMatchObject(nobody)
  })

  test('goes on while Microsoft cannot be reached', async () => {
    await start()
    xbox.troubles.set('token', 'down')
    await poll()
    xbox.troubles.set('token', 'garbage')
    await poll()
    xbox.troubles.clear()
    await poll()
    await idle()
    expect(await read('/auth-status')).toMatchObject({ isAuthenticated: true })
  })

  test('is cancelled once; an approval afterwards has no effect', async () => {
    xbox.steps = ['pending']
    await start()
    await poll()
    const cancel = async () => (await answer(await user.post(`${epsilonBase}/auth/cancel`))).body
    expect(await cancel()).toEqual({ message: 'The sign-in was cancelled' })
    await idle()
    expect(await cancel()).toEqual({ message: 'No sign-in was waiting' })
    expect(authStates().at(-1)).toMatchObject({ status: 'cancelled' })
    const polls = xbox.count('token')
    xbox.steps = ['approve']
    await time.advance(60_000)
    expect(xbox.count('token')).toBe(polls)
  })

  test('supersedes one that waits', async () => {
    xbox.steps = ['pending']
    const first = await start()
    const second = await start()
    expect(second.status).toBe(200)
    expect(second.body.operationId).not.toBe(first.body.operationId)
    xbox.steps = ['approve']
    await eventually(
      () => app.operations.active('epsilonMapping')?.id === second.body.operationId,
      'the second sign-in',
    )
    await poll()
    await idle()
    expect(authStates()).toContainEqual(
      expect.objectContaining({ operationId: first.body.operationId, status: 'cancelled' }),
    )
    expect(await read('/auth-status')).toMatchObject({ isAuthenticated: true })
  })

  test.each(['down', 'garbage', 'huge', 'hang'] as Trouble[])(
    'is 503 while Microsoft is %s',
    async (trouble) => {
      xbox.troubles.set('code', trouble)
      const { status, body } = await start()
      expect(status).toBe(503)
      expect(String(body.error)).toStartWith(`127.0.0.1:${new URL(xbox.url).port} `)
      expect(xbox.calls).toEqual(['code'])
      expect(app.operations.active('epsilonMapping')).toBeNull()
    },
  )

  test('says when the account has no Xbox profile', async () => {
    xbox.xerr = 2_148_916_233
    await signIn()
    expect(runs()[0]?.error).toBe(
      'This Microsoft account has no Xbox profile; create one on xbox.com',
    )
  })

  test('ends with the sign-out; titles stay', async () => {
    await signIn()
    const out = async () => (await answer(await user.delete(`${epsilonBase}/auth`))).body
    expect(await out()).toEqual({ message: 'Signed out of Xbox' })
    expect(await out()).toEqual({ message: 'No Xbox account was signed in' })
    const after = { isAuthenticated: false, displayName: null, gamesDiscovered: 2 }
    expect(await read('/auth-status')).toMatchObject({ ...after, expiresAtUtc: null })
  })

  test('leaves no token and no key in a log or, unsealed, in a file', async () => {
    xbox.tokenSeconds = 1
    await signIn()
    xbox.troubles.set('token', 'garbage')
    await refresh()
    const secrets = /secret-/
    const texts = [...storedTexts(join(app.root, 'data'))]
    const kept = app.credentials.read('epsilon.deviceKey')
    const key = kept.state === 'kept' ? (JSON.parse(kept.secret) as { pkcs8: string }).pkcs8 : ''
    expect(key.length).toBeGreaterThan(100)
    const leaks = texts.filter(([, text]) => secrets.test(text) || text.includes(key))
    expect(leaks.map(([file]) => file)).toEqual([])
    const operations = JSON.stringify(app.operations.recent({ limit: 500, includeSilent: true }))
    const told = [...app.logLines, operations, JSON.stringify(events)]
    expect(told.filter((text) => secrets.test(text) || text.includes(key))).toEqual([])
  })
})
