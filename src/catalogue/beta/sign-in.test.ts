import { describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { betaApp, betaBase } from '../../../test/support/beta-app.ts'
import type { Trouble } from '../../../test/support/stand-ins/serve-locally.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { storedTexts } from '../../../test/support/stored-texts.ts'
import { userAgent } from '../../core/lib/outside.ts'

const { epic, time, events, app, user, answer, complete, signIn, read, refresh } = await betaApp()
const names = async () => ((await read('')) as { name: string }[]).map(({ name }) => name)

describe('sign-in', () => {
  test('leads to Epic’s page and asks nothing of the service yet', async () => {
    const { body } = await answer(await user.post(`${betaBase}/auth/login`))
    const link = new URL(String(body.authorizationUrl))
    expect(link.origin + link.pathname).toBe('https://www.epicgames.com/id/login')
    expect(link.searchParams.get('redirectUrl')).toBe(
      'https://www.epicgames.com/id/api/redirect?clientId=test-client&responseType=code',
    )
    expect(epic.calls).toEqual([])
  })

  test('collects the library, each call once and one at a time', async () => {
    expect(await signIn()).toEqual({
      status: 200,
      body: { message: 'Signed in', displayName: 'Some Player', gamesDiscovered: 3 },
    })
    expect(await names()).toEqual(['A kit without a build', 'Fox and Hound', 'Owl Watch'])
    expect([...epic.userAgents]).toEqual([userAgent])
    expect(epic.parallel).toBe(1)
    expect(
      ['token', 'assets', 'item', 'manifest', 'freeGames'].map((call) => epic.count(call)),
    ).toEqual([1, 1, 3, 2, 0])
    expect(await read('/auth-status')).toEqual({
      isAuthenticated: true,
      displayName: 'Some Player',
      lastCollectionUtc: time.now().toISOString(),
      gamesDiscovered: 3,
    })
    const stats = { totalGames: 3, distinctSources: 1, cdnPatterns: 2 }
    expect(await read('/stats')).toMatchObject(stats)
  })

  test('publishes the job and what was found', async () => {
    await signIn()
    const named = (name: string) => events.find(({ event }) => event === name)?.data
    const facts = { newGames: 3, updatedGames: 0 }
    expect(named('BetaGameMappingsUpdated')).toMatchObject({
      ...facts,
      totalGames: 3,
      source: 'mapping-login',
    })
    expect(named('BetaMappingStarted')).toMatchObject({ showNotification: true })
    expect(named('BetaMappingComplete')).toMatchObject({
      success: true,
      stageKey: 'signalr.betaMapping.complete',
      context: { gamesDiscovered: 3, ...facts },
    })
    expect(named('DownloadsRefresh')).toEqual({ reason: 'beta-mapping' })
  })

  test.each([
    ['missing', undefined, 'The authorization code is missing'],
    ['blank', '  ', 'The authorization code is missing'],
    ['wrong', 'x', 'Epic Games did not accept this code; open the link again and copy a new one'],
  ])('with a code that is %s is 400', async (_, code, error) => {
    expect(await complete({ authorizationCode: code })).toEqual({ status: 400, body: { error } })
    expect(await read('/auth-status')).toMatchObject({ isAuthenticated: false })
  })

  test.each([[7], ['x'.repeat(501)], [{}]])('with a code of another form is 400', async (code) => {
    const { status, body } = await complete({ authorizationCode: code })
    expect([status, body.title]).toEqual([400, 'One or more validation errors occurred.'])
    expect(epic.calls).toEqual([])
  })

  test('during another run is 409 with its id', async () => {
    epic.troubles.set('assets', 'hang')
    const first = signIn()
    await eventually(() => epic.count('assets') > 0, 'a request for the library')
    const { status, body } = await signIn()
    expect(status).toBe(409)
    expect(body).toMatchObject({
      code: 'OPERATION_CONFLICT',
      activeOperationType: 'BetaMapping',
      activeOperationId: app.operations.active('betaMapping')?.id,
    })
    await first
  })

  test.each([
    ['token', 'down'],
    ['token', 'garbage'],
    ['token', 'huge'],
    ['token', 'hang'],
    ['assets', 'down'],
    ['assets', 'garbage'],
    ['assets', 'huge'],
    ['assets', 'hang'],
  ] as [string, Trouble][])('with a service whose %s is %s is 503', async (call, trouble) => {
    epic.troubles.set(call, trouble)
    const { status, body } = await signIn()
    expect(status).toBe(503)
    expect(String(body.error)).toStartWith(`127.0.0.1:${new URL(epic.url).port} `)
    expect(await read('/schedule')).toMatchObject({ status: 'Error', isProcessing: false })
    expect(epic.count('token')).toBe(1)
  })

  test('that is cancelled answers with what there is', async () => {
    epic.troubles.set('item', 'hang')
    const call = signIn()
    await eventually(() => epic.count('item') > 0, 'a request for a name')
    expect(await answer(await user.delete(`${betaBase}/schedule/refresh`))).toEqual({
      status: 200,
      body: { cancelled: true, message: 'The refresh is being cancelled' },
    })
    expect(await call).toEqual({
      status: 200,
      body: { message: 'Cancelled', displayName: 'Some Player', gamesDiscovered: 3 },
    })
    expect((await answer(await user.delete(`${betaBase}/schedule/refresh`))).status).toBe(404)
  })

  test('ends with the sign-out; games stay', async () => {
    await signIn()
    const out = await answer(await user.delete(`${betaBase}/auth`))
    expect(out.body).toEqual({ message: 'Signed out of Epic Games' })
    expect(await read('/auth-status')).toMatchObject({
      isAuthenticated: false,
      displayName: null,
      gamesDiscovered: 3,
    })
    const again = await answer(await user.delete(`${betaBase}/auth`))
    expect(again.body).toEqual({ message: 'No Epic account was signed in' })
  })

  test('leaves no token in a log, and only sealed ones in files of the owner', async () => {
    epic.expiresIn = 1
    await signIn()
    epic.troubles.set('token', 'garbage')
    await refresh()
    const texts = storedTexts(join(app.root, 'data'))
    const isOpen = (file: string) => (statSync(file).mode & 0o077) !== 0
    const stores = [...texts.keys()].filter((file) => /state\.sqlite|seal\.key/.test(file))
    expect(stores.length).toBeGreaterThan(1)
    expect(stores.filter(isOpen)).toEqual([])
    const secrets = /secret-(?:access|refresh|in-garbage)|test-secret|right-code/
    const leaks = [...texts].filter(([, text]) => secrets.test(text))
    expect(leaks.map(([file]) => file)).toEqual([])
    expect(app.logLines.filter((line) => secrets.test(line))).toEqual([])
    const operations = JSON.stringify(app.operations.recent({ limit: 500, includeSilent: true }))
    expect(secrets.test(operations + JSON.stringify(events))).toBe(false)
  })
})
