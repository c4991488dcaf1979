import { afterEach, beforeEach, expect, test } from 'bun:test'
import pino from 'pino'
import { AlphaStandIn } from '../../../test/support/stand-ins/alpha.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { createAlphaLogin, type AlphaLogin } from './facade.ts'

let steam: AlphaStandIn
let time: ManualTime
let login: AlphaLogin
let lines: string[]

beforeEach(() => {
  steam = new AlphaStandIn()
  steam.accounts.set('plain', { password: 'crowbar' })
  steam.accounts.set('mail', { password: 'crowbar', guards: ['email'], code: 'M4IL5' })
  time = new ManualTime()
  lines = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const alpha = { webApiBaseUrl: steam.url, isOwnWebApi: true, phoneWaitSeconds: 120 }
  login = createAlphaLogin({ config: { alpha }, log, timers: time })
})
afterEach(async () => {
  login.cancel()
  await steam.stop()
})

const signIn = (accountName: string, code: string | null = null) =>
  login.signIn({ accountName, password: 'crowbar', code, allowsPhone: true, guardToken: null })

test('handles one call at a time', async () => {
  const first = signIn('plain')
  expect(login.isBusy()).toBe(true)
  const second = await signIn('plain').catch((error: unknown) => error)
  expect(second).toEqual(new Error('a sign-in is going on'))
  expect((await first).kind).toBe('signedIn')
  expect(login.isBusy()).toBe(false)
  // No timer is left.
  expect(time.pending).toBe(0)
})

test('keeps an attempt open for five minutes; after that a new email is needed', async () => {
  expect((await signIn('mail')).kind).toBe('codeNeeded')
  await time.advance(5 * 60_000 - 1)
  expect(await signIn('mail', 'WRONG')).toMatchObject({ kind: 'codeNeeded', isWrong: true })
  expect(steam.mails).toBe(1)
  await time.advance(5 * 60_000)
  expect((await signIn('mail', 'M4IL5')).kind).toBe('signedIn')
  expect(steam.mails).toBe(2)
})

test('gives up on a worker that does not answer', async () => {
  const { promise: never } = Promise.withResolvers<void>()
  steam.hold = never
  const waiting = signIn('plain')
  await time.advance(120_000 + 100_000)
  expect(await waiting).toEqual({ kind: 'refused', reason: 'busy', result: null })
  expect(lines.join('')).toContain('does not answer')
  steam.hold = null
  expect((await signIn('plain')).kind).toBe('signedIn')
})

test('ends a cancelled call and starts the next one afresh', async () => {
  const { promise: never } = Promise.withResolvers<void>()
  steam.hold = never
  const waiting = signIn('plain')
  login.cancel()
  expect(await waiting).toEqual({ kind: 'refused', reason: 'cancelled', result: null })
  expect(lines).toEqual([])
  steam.hold = null
  expect((await signIn('plain')).kind).toBe('signedIn')
})
