import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { betaContent, logIn } from '../../../../test/support/beta-daemon.ts'
import { challenge, provide } from '../../../../test/support/daemon-login.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { testDaemon } from '../../../../test/support/test-daemon.ts'
import { countIn } from '../../../../test/lab/secret-search.ts'
import { daemonProcess } from '../../../../test/support/daemon-process.ts'

function fixture() {
  const epic = betaContent()
  const folder = tempFolder('daemon')
  const file = join(folder, 'config', 'betaSignIn.json')
  const { environment, port: cachePort } = epic
  const start = () => testDaemon({ platform: 'beta', cachePort, environment, folder })
  const stored = () => readFileSync(file, 'utf8')
  return { epic, folder, file, stored, start }
}

const isSignedIn = async (client: Awaited<ReturnType<typeof testDaemon>>['client']) =>
  ((await client.ask('status')).data as { isLoggedIn: boolean }).isLoggedIn

test('a page with a code; the token is stored for its user only', async () => {
  const { epic, file, stored, start } = fixture()
  const { client } = await start()
  await client.ask('login')
  const shown = await challenge(client, 1)
  await provide(client, 'beta', { count: 1, text: `  ${epic.code}\n` })
  expect(shown.credentialType).toBe('authorization-url')
  expect(shown.authUrl).toStartWith('https://www.epicgames.com/id/login?redirectUrl=')
  await eventually(() => isSignedIn(client), 'signed in')
  expect((await client.ask('status')).data).toMatchObject({ accountDisplayName: 'Some Player' })
  const { authExpiryUtc } = (await client.ask('status')).data as { authExpiryUtc: string }
  expect(Date.parse(authExpiryUtc) - Date.now()).toBeGreaterThan(22 * 86_400_000)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(stored()).toContain(epic.refreshToken)
  expect(stored()).not.toContain('secret-access')
})

test('the whole page with the code will do; a wrong code says what to do', async () => {
  const { epic, file, start } = fixture()
  const { client } = await start()
  const refused = 'Login failed: Epic Games did not accept this code'
  expect((await logIn(client, 'wrong')).message).toStartWith(refused)
  expect((await logIn(client, ' ')).message).toContain('the authorization code is missing')
  expect(existsSync(file)).toBe(false)
  const page = JSON.stringify({ redirectUrl: 'x', authorizationCode: epic.code, sid: null })
  expect(await logIn(client, page)).toMatchObject({ state: 'logged-in' })
})

test('what the account has to accept first is named', async () => {
  const { epic, start } = fixture()
  const { client } = await start()
  epic.correctiveAction = 'PRIVACY_POLICY_ACCEPTANCE'
  expect((await logIn(client, epic.code)).message).toBe(
    'Login failed: Epic Games wants something from this account first ' +
      '(PRIVACY_POLICY_ACCEPTANCE): sign in on its website',
  )
  epic.correctiveAction = null
  epic.troubles.set('token', 'garbage')
  expect((await logIn(client, epic.code)).message).toContain('answered in an unknown form')
})

test('a restart signs in again, with a new token', async () => {
  const { epic, stored, start } = fixture()
  const first = await start()
  await logIn(first.client, epic.code)
  const before = epic.refreshToken
  await first.stop()
  const { client } = await start()
  await eventually(() => isSignedIn(client), 'signed in again')
  expect(epic.refreshToken).not.toBe(before)
  expect(stored()).toContain(epic.refreshToken)
  expect(stored()).not.toContain(before)
})

test('a stored token that is refused is deleted, and the next login asks again', async () => {
  const { epic, file, start } = fixture()
  const first = await start()
  await logIn(first.client, epic.code)
  await first.stop()
  epic.refreshToken = 'another'
  const { client } = await start()
  await eventually(() => !existsSync(file), 'the token is deleted')
  expect(await isSignedIn(client)).toBe(false)
  expect(await logIn(client, epic.code)).toMatchObject({ state: 'logged-in' })
})

test('a service that cannot be reached costs no sign-in', async () => {
  const { epic, stored, start } = fixture()
  const first = await start()
  await logIn(first.client, epic.code)
  const before = stored()
  await first.stop()
  epic.troubles.set('token', 'down')
  const { client } = await start()
  expect((await logIn(client, null)).message).toContain('answered with status 503')
  expect(stored()).toBe(before)
  epic.troubles.clear()
  expect(await logIn(client, null)).toMatchObject({ state: 'logged-in' })
  expect(stored()).toContain(epic.refreshToken)
})

test('tokens that end are renewed one at a time; a refused one ends the sign-in', async () => {
  const { epic, file, stored, start } = fixture()
  const { client } = await start()
  epic.expiresIn = 1
  await logIn(client, epic.code)
  const asked = Array.from({ length: 4 }, () => client.ask('get-owned-games'))
  for (const answer of await Promise.all(asked)) expect(answer.success).toBe(true)
  expect(stored()).toContain(epic.refreshToken)

  // An access token that Epic ended before its time.
  epic.expiresIn = 28_800
  await client.ask('get-owned-games')
  await client.ask('prefill', { products: '["Lantern"]' })
  expect(await client.ended(1)).toMatchObject({ updatedApps: 1 })
  epic.endSession()
  await client.ask('prefill', { products: '["Comets"]' })
  expect(await client.ended(2)).toMatchObject({ updatedApps: 1 })
  expect(stored()).toContain(epic.refreshToken)

  epic.endSession()
  epic.refreshToken = 'another'
  await client.ask('prefill', { products: '["Comets"]', force: 'true' })
  expect(await client.ended(3)).toMatchObject({ failedApps: 1 })
  const errors = client.progress().flatMap(({ errorMessage }) => errorMessage ?? [])
  expect(errors).toEqual(['Epic Games ended the sign-in; sign in again'])
  expect(existsSync(file)).toBe(false)
  expect(await isSignedIn(client)).toBe(false)
})

test('a renewal that fails costs nothing while the access token is valid', async () => {
  const { epic, stored, start } = fixture()
  const { client } = await start()
  // Less than ten minutes: renewed before each use.
  epic.expiresIn = 300
  await logIn(client, epic.code)
  const before = stored()
  epic.troubles.set('token', 'down')
  expect((await client.ask('get-owned-games')).success).toBe(true)
  expect(epic.count('token')).toBeGreaterThan(1)
  expect(stored()).toBe(before)
  epic.troubles.clear()
  expect((await client.ask('prefill', { products: '["Lantern"]' })).success).toBe(true)
  expect(await client.ended(1)).toMatchObject({ updatedApps: 1 })
  expect(stored()).toContain(epic.refreshToken)
})

test('a token of the manager signs in; it is replaced and stored', async () => {
  const { epic, stored, start } = fixture()
  const { client } = await start()
  expect((await logIn(client, 'wrong', 'provide-auto-login')).message).toContain(
    'Epic Games did not accept the stored sign-in',
  )
  epic.refreshToken = 'handed-over'
  expect(await logIn(client, 'handed-over', 'provide-auto-login')).toMatchObject({
    state: 'logged-in',
    displayName: 'Some Player',
  })
  expect(stored()).toContain(epic.refreshToken)
})

test('a sign-out deletes what is stored, also what a killed process left', async () => {
  const { epic, file, start } = fixture()
  const { client } = await start()
  await logIn(client, epic.code)
  writeFileSync(`${file}.new`, 'half a token')
  await client.ask('logout')
  expect([file, `${file}.new`].filter((path) => existsSync(path))).toEqual([])
  expect(await isSignedIn(client)).toBe(false)
})

test('a sign-out during a renewal keeps no token', async () => {
  const { epic, file, start } = fixture()
  const { client } = await start()
  epic.expiresIn = 1
  await logIn(client, epic.code)
  const held = Promise.withResolvers<void>()
  epic.beforeToken = () => held.promise
  const games = client.ask('get-owned-games')
  await eventually(() => epic.count('token') === 2, 'a renewal is under way')
  await client.ask('logout')
  held.resolve()
  expect((await games).success).toBe(false)
  expect(existsSync(file)).toBe(false)
  expect(await isSignedIn(client)).toBe(false)
})

test('no token or code is in a frame or in the log', async () => {
  const { epic, folder } = fixture()
  epic.expiresIn = 1
  const environment = { ...epic.environment, LANCACHE_IP: '127.0.0.1:1', LOG_LEVEL: 'trace' }
  const daemon = daemonProcess({ platform: 'beta', folder, environment })
  const client = await daemon.connect()
  const frames: Buffer[] = []
  client.socket.on('data', (chunk) => frames.push(chunk as Buffer))
  await logIn(client, 'wrong-code')
  await logIn(client, epic.code)
  await client.ask('get-owned-games')
  await client.ask('prefill', { all: 'true' })
  await client.ended()
  epic.troubles.set('token', 'garbage')
  await client.ask('get-selected-apps-status')
  await client.ask('check-cache-status', { appIds: '["Lantern"]' })
  daemon.process.kill('SIGTERM')
  const { errors } = await daemon.ended()
  const log = errors + (await new Response(daemon.process.stdout).text())
  const secrets = new Map(
    [epic.code, 'wrong-code', 'secret-access', 'secret-refresh', 'secret-cdn', 'test-secret'].map(
      (secret) => [secret, secret],
    ),
  )
  expect(log).toContain('daemon')
  expect(countIn(log, secrets)).toEqual({})
  expect(countIn(Buffer.concat(frames).toString(), secrets)).toEqual({})
})
