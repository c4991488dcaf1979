import { expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { challengesOf, restored, statesOf } from '../../../../test/support/daemon-login.ts'
import { epsilonDaemons, logIn } from '../../../../test/support/epsilon-daemon.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { encryptCredential } from '../../protocol/credentials.ts'
import { readChallenge } from '../../protocol/login.ts'
import { serviceFacts } from '../../../platforms/service-facts.ts'

const refusedText = 'Microsoft refused the sign-in; sign in again'

test('a code is shown and, once approved, the sign-in stored for its user only', async () => {
  const { xbox, login, start } = epsilonDaemons()
  xbox.steps = ['pending', 'approve']
  const { client, stop } = await start()
  expect((await client.ask('get-owned-games')).requiresLogin).toBe(true)
  expect(await logIn(client)).toMatchObject({ state: 'logged-in', displayName: 'Some Gamer' })
  expect(challengesOf(client)).toMatchObject([
    { credentialType: 'device-code', userCode: 'CODE1', authUrl: xbox.verificationUri },
  ])
  const { data } = await client.ask('status')
  const { authExpiryUtc } = data as { authExpiryUtc: string }
  expect(data).toMatchObject({ isLoggedIn: true, accountDisplayName: 'Some Gamer' })
  expect(Date.parse(authExpiryUtc) - Date.now()).toBeGreaterThan(89 * 86_400_000)
  expect(login.mode()).toBe(0o600)
  expect(login.read()['refreshToken']).toBe(xbox.refreshToken)

  await stop()
  const again = await start()
  await restored(again.client)
  expect(challengesOf(again.client)).toEqual([])
  expect(xbox.refreshToken).toBe('secret-refresh-2')
  expect(login.read()['refreshToken']).toBe('secret-refresh-2')
  expect(xbox.devices.size).toBe(1)
  expect(xbox.faults).toEqual([])

  await again.client.ask('logout')
  expect(existsSync(login.path)).toBe(false)
  expect((await again.client.ask('get-owned-games')).requiresLogin).toBe(true)
})

test('a declined code and an account without a profile end the login with the reason', async () => {
  const { xbox, login, start } = epsilonDaemons()
  xbox.steps = ['decline']
  const { client } = await start()
  expect(await logIn(client)).toMatchObject({ message: `Login failed: ${refusedText}` })
  xbox.steps = ['approve']
  xbox.xerr = 2_148_916_233
  expect((await logIn(client))?.message).toBe(
    'Login failed: This Microsoft account has no Xbox profile; create one on xbox.com',
  )
  expect(existsSync(login.path)).toBe(false)
  xbox.xerr = 0
  expect(await logIn(client)).toMatchObject({ state: 'logged-in' })
})

test('a cancelled login asks Microsoft no more', async () => {
  const { xbox, login, start } = epsilonDaemons()
  xbox.steps = ['pending']
  const { client } = await start()
  await client.ask('login')
  await eventually(() => xbox.count('token') > 0, 'Microsoft is asked')
  await client.ask('cancel-login')
  await eventually(() => statesOf(client).length === 1, 'the login ends')
  const asked = xbox.count('token')
  await Bun.sleep(1100)
  expect(xbox.count('token')).toBe(asked)
  expect(existsSync(login.path)).toBe(false)
})

test('a stored token that is refused is deleted, and the next login shows a code', async () => {
  const { xbox, login, start } = epsilonDaemons()
  login.write('revoked')
  writeFileSync(`${login.path}.new`, 'of a killed process')
  const { client } = await start()
  await eventually(() => !existsSync(login.path), 'the token is deleted')
  expect(existsSync(`${login.path}.new`)).toBe(false)
  expect(await logIn(client)).toMatchObject({ state: 'logged-in' })
  expect(challengesOf(client)).toHaveLength(1)
  expect(xbox.faults).toEqual([])
})

test('a stored token stays while Microsoft cannot be reached', async () => {
  const { xbox, login, start } = epsilonDaemons()
  xbox.troubles.set('token', 'down')
  login.write()
  const { client } = await start()
  expect((await logIn(client))?.message).toContain('answered with status 503')
  xbox.troubles.clear()
  expect(await logIn(client)).toMatchObject({ state: 'logged-in', displayName: 'Ada' })
  expect(challengesOf(client)).toEqual([])
})

test('a sign-out during a renewal stores nothing afterwards', async () => {
  const { xbox, login, start } = epsilonDaemons()
  login.write()
  const held = Promise.withResolvers<void>()
  xbox.held = held.promise
  const { client } = await start()
  await eventually(() => xbox.count('token') === 1, 'the token is renewed')
  await client.ask('logout')
  held.resolve()
  // A login begins after the renewal has ended.
  xbox.steps = ['pending']
  await client.ask('login')
  await eventually(() => challengesOf(client).length === 1, 'a code is shown')
  expect(xbox.refreshToken).toBe('secret-refresh-1')
  expect(existsSync(login.path)).toBe(false)
})

test('an authorization that ends early is renewed; a sign-in that ends asks anew', async () => {
  const { xbox, login, start } = epsilonDaemons()
  login.write()
  const { client } = await start()
  await restored(client)
  xbox.titlesRefused = 1
  expect((await client.ask('get-owned-games')).success).toBe(true)
  expect(xbox.count('user')).toBe(2)

  xbox.titlesRefused = 1
  xbox.xerr = 2_148_916_233
  const refused = await client.ask('get-owned-games')
  expect(refused.error).toContain('has no Xbox profile')
  expect((await client.ask('get-owned-games')).requiresLogin).toBe(true)
  expect(existsSync(login.path)).toBe(false)
})

test('an access token is renewed before it ends, once for all that wait for it', async () => {
  const { xbox, login, start } = epsilonDaemons()
  xbox.tokenSeconds = 1
  login.write()
  const { client } = await start()
  await restored(client)
  const asked = xbox.count('token')
  xbox.tokenSeconds = 86_400
  const ask = () => client.ask('get-owned-games')
  xbox.titlesRefused = 3
  const answers = await Promise.all([ask(), ask(), ask()])
  expect(answers.filter(({ success }) => success)).toHaveLength(3)
  expect(xbox.count('token')).toBe(asked + 1)
  expect(login.read()['refreshToken']).toBe(xbox.refreshToken)
})

test('tokens that a manager has stored sign in, with their device', async () => {
  const { xbox, login, start } = epsilonDaemons()
  const { client } = await start()
  const provide = async (refreshToken: string) => {
    const asked = readChallenge((await client.ask('provide-auto-login')).data)
    const info = serviceFacts.epsilon.credentialInfo
    const text = JSON.stringify({ refreshToken, deviceKeyPkcs8: 'not a key' })
    return client.ask('provide-auto-login', { ...encryptCredential(text, { ...asked, info }) })
  }
  expect((await provide('revoked')).error).toBe(`Login failed: ${refusedText}`)
  expect(existsSync(login.path)).toBe(false)
  expect((await provide(xbox.refreshToken)).success).toBe(true)
  expect(login.read()['refreshToken']).toBe('secret-refresh-1')
  expect(xbox.faults).toEqual([])
})
