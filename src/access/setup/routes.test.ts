import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { readCredentials } from '../../../db/history/credentials.ts'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import {
  freshDatabase,
  openTestClient,
  testServer,
  untilState,
} from '../../../test/support/postgres.ts'
import {
  Browser,
  signIn,
  signInAs,
  signInGuest,
  signInOwner,
  testPassword,
} from '../../../test/support/sign-in.ts'
import { json } from '../../../test/support/answers.ts'

/** Without session, cookie or token, like a script on the host. */
const script = (app: TestApp, path: string, body: unknown, headers: Record<string, string> = {}) =>
  new Browser(app).send('POST', path, { body, headers, withoutToken: true })

describe('first-admin', () => {
  let app: TestApp
  beforeAll(async () => void (app = await testApp()))
  const call = (change: object) =>
    script(app, '/api/account-setup/first-admin', {
      apiKey: app.key,
      username: 'Boss',
      password: testPassword,
      ...change,
    })

  test.each([
    ['no key', { apiKey: undefined }, 401, { stageKey: 'errors.accountSetup.apiKeyRequired' }],
    ['wrong key', { apiKey: 'x' }, 401, { stageKey: 'errors.accountSetup.apiKeyRequired' }],
    [
      'everything wrong: the fields come first',
      { apiKey: 'x', username: ' ', password: 'short' },
      400,
      { error: 'Validation failed', errors: [{ field: 'Username' }, { field: 'Password' }] },
    ],
    ['a number as name', { username: 7 }, 400, { status: 400 }],
  ])('%s', async (_, change, status, answer) => {
    expect(await json(await call(change))).toMatchObject([status, answer])
  })

  test('a key in the header is ignored', async () => {
    const body = { username: 'Boss', password: testPassword }
    const headers = { 'X-Api-Key': app.key }
    expect((await script(app, '/api/account-setup/first-admin', body, headers)).status).toBe(401)
  })

  test('of concurrent calls exactly one wins', async () => {
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((username) => call({ username })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 409, 409, 409,
    ])
    expect(app.control.accounts.all()).toMatchObject([{ isOwner: true, role: 'admin' }])
  })

  test('a second call is refused; after a restart the account exists', async () => {
    expect(await json(await call({ username: 'second' }))).toMatchObject([
      403,
      { stageKey: 'errors.accountSetup.claimWindowClosed' },
    ])
    app.control.ownerClaim.isClosed = false
    expect(await json(await call({ username: 'second' }))).toMatchObject([
      409,
      { stageKey: 'errors.accountSetup.accountExists' },
    ])
    expect(app.control.accounts.all()).toHaveLength(1)
  })
})

describe('recovery', () => {
  const time = new ManualTime()
  let app: TestApp
  beforeAll(async () => void (app = await testApp({ clock: time })))
  const open = (apiKey: string) =>
    script(app, '/api/account-setup/open-main-admin-recovery', { apiKey })
  const recover = (change: object = {}) =>
    script(app, '/api/account-setup/recover-main-admin', {
      apiKey: app.key,
      username: 'OWNER',
      password: 'Recovered-Horse-1',
      ...change,
    })

  test('is closed until opened with the key, and for an hour only', async () => {
    const owner = await signInOwner(app)
    const closed = [403, { stageKey: 'errors.accountSetup.recoveryWindowClosed' }]
    expect(await json(await recover())).toMatchObject(closed)
    expect(await json(await recover({ username: 'somebody' }))).toMatchObject(closed)
    expect((await open('wrong')).status).toBe(401)
    expect(await json(await recover())).toMatchObject(closed)
    expect((await open(app.key)).status).toBe(200)
    await time.advance(60 * 60_000)
    expect(await json(await recover())).toMatchObject(closed)
    expect((await owner.post('/api/auth/heartbeat')).status).toBe(200)
  })

  test('sets the password once, ends sessions and clears the lock', async () => {
    const owner = await signInOwner(app)
    const id = app.control.accounts.owner()?.id ?? ''
    for (let n = 0; n < 5; n++) app.control.lockout.noteFailure(id)
    await open(app.key)
    expect(await json(await recover({ username: 'somebody' }))).toMatchObject([
      404,
      { stageKey: 'errors.accountSetup.mainAdminNotFound' },
    ])
    expect(await json(await recover({ password: 'weak' }))).toMatchObject([400, {}])
    expect((await recover({ apiKey: 'x' })).status).toBe(401)
    expect((await recover()).status).toBe(200)
    expect((await owner.post('/api/auth/heartbeat')).status).toBe(401)
    await signIn(app, 'owner', 'Recovered-Horse-1')
    expect((await recover()).status).toBe(403)
  })
})

describe('Setup/credentials', () => {
  const time = new ManualTime()
  let app: TestApp
  const secret = 'Quote\'s "and" $1 42'
  beforeAll(async () => {
    app = await testApp({
      clock: time,
      environment: { POSTGRES_MODE: 'embedded', POSTGRES_PASSWORD: '' },
    })
    chmodSync(app.root, 0o755)
    app.history.start()
    await untilState(app.history, 'ready')
  })
  afterAll(() => app.history.stop())
  const call = (body: object, headers: Record<string, string>) =>
    script(app, '/api/Setup/credentials', body, headers)
  const key = () => ({ 'X-Api-Key': app.key })

  test.each([
    ['nothing shown', {}, 401],
    ['a wrong key', { 'X-Api-Key': 'x' }, 403],
    ['a wrong bearer', { Authorization: 'Bearer x' }, 403],
  ])('%s', async (_, headers, status) => {
    expect(await json(await call({ password: secret }, headers))).toMatchObject([
      status,
      { error: expect.any(String) },
    ])
  })

  test.each([
    ['none', {}],
    ['short', { password: 'Short-1' }],
    ['two classes', { password: 'lowercaseonly1' }],
    ['guessable', { password: 'lancache123' }],
    ['a backslash', { password: 'Back\\slash-12345' }],
    ['a line break', { password: 'Line\nbreak-12345' }],
    ['the name', { username: 'Larder_Admin_1', password: 'larder_admin_1' }],
    ['a bad name', { username: 'a b', password: secret }],
  ])('%s as password: 400', async (_, body) => {
    expect((await call(body, key())).status).toBe(400)
  })

  test('the owner needs no key but an antiforgery token; a guest is refused', async () => {
    const owner = await signInOwner(app)
    const body = { password: 'weak' }
    const unsigned = { body, withoutToken: true }
    const refused = await json(await owner.send('POST', '/api/Setup/credentials', unsigned))
    expect(refused).toMatchObject([400, { stageKey: 'errors.antiforgery.rejected' }])
    for (const role of ['user', 'admin'] as const) {
      const other = await signInAs(app, role)
      expect((await other.post('/api/Setup/credentials', body)).status).toBe(403)
    }
    const taken = await json(await owner.post('/api/Setup/credentials', body))
    expect(taken).toMatchObject([400, { error: expect.stringContaining('12 characters') }])
    const guest = await signInGuest(app)
    expect((await guest.post('/api/Setup/credentials', body)).status).toBe(401)
  })

  test('the server, the file and the running service use the new password', async () => {
    const before = app.history.connection()
    expect(await json(await call({ password: secret }, { Authorization: `Bearer ${app.key}` })))
      // The message text is not asserted.
      .toEqual([200, { success: true, message: expect.any(String) }])
    expect(app.history.connection()).toEqual({ ...before, password: secret })
    const file = join(app.config.dataPath, 'config', 'postgres-credentials.json')
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
    expect(readCredentials(app.config.dataPath)).toMatchObject({ password: secret })
    const old = openTestClient(before)
    expect(old`select 1`.then(String, ({ code }) => code)).resolves.toBe('28P01')
    await untilState(app.history, 'ready')
    await Bun.sleep(0)
    await untilReadable()
    expect(app.logLines.join('\n')).not.toContain(secret)
    expect(app.logLines.join('\n')).not.toContain(JSON.stringify(secret).slice(1, -1))
    await old.end({ timeout: 0 })
  })

  const untilReadable = () =>
    eventually(async () => {
      const answer = await app.history.read((_, sql) => sql`select 1 as one`).catch(() => null)
      return answer?.[0]?.['one'] === 1
    }, 'the history answers again')

  test('a different user name applies after a restart, which happens at once', async () => {
    await time.advance(60_000)
    expect((await call({ username: 'keeper_2', password: secret }, key())).status).toBe(200)
    expect(app.history.connection().user).toBe('keeper_2')
    await untilState(app.history, 'starting')
    await untilState(app.history, 'ready')
    const [row] = await app.history.read((_, sql) => sql`select current_user as name`)
    expect({ ...row }).toEqual({ name: 'keeper_2' })
  })

  test('more than ten wrong keys a minute: 429, even with the correct one', async () => {
    const headers = { 'X-Forwarded-For': '198.51.100.7', 'X-Api-Key': 'x' }
    const read = (more: object = {}) =>
      app.request('/openapi/v1.json', { headers: { ...headers, ...more } })
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) statuses.push((await read()).status)
    expect(statuses.slice(9)).toEqual([401, 429])
    const late = await read({ 'X-Api-Key': app.key })
    expect(late.status).toBe(429)
    expect(Number(late.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
    await time.advance(60_000)
    expect((await read({ 'X-Api-Key': app.key })).status).toBe(200)
  })
})

describe('Setup/external', () => {
  let app: TestApp
  const time = new ManualTime()
  beforeAll(async () => {
    app = await testApp({
      clock: time,
      environment: { POSTGRES_HOST: '', POSTGRES_PASSWORD: '' },
    })
  })
  const call = (body: object) => script(app, '/api/Setup/external', body, { 'X-Api-Key': app.key })
  const details = async () => {
    const { host, port, database, user: username, password } = await freshDatabase()
    return { host, port, database, username, password }
  }

  test("a working server is stored readable only by the service's user", async () => {
    expect(await (await app.request('/api/system/setup')).json()).toMatchObject({
      mode: 'external',
      needsPostgresCredentials: true,
      postgresHost: null,
    })
    const server = await details()
    expect(await json(await call(server))).toEqual([
      200,
      { success: true, message: expect.any(String), restartRequired: true },
    ])
    const file = join(app.config.dataPath, 'config', 'postgres-credentials.json')
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(server)
    expect(await (await app.request('/api/system/setup')).json()).toMatchObject({
      needsPostgresCredentials: false,
    })
  })

  test.each([
    ['no host', { host: ' ' }, undefined],
    ['port 0', { port: 0 }, undefined],
    ['port as text', { port: '5432' }, undefined],
    ['a short password', { password: 'short' }, undefined],
    ['a wrong password', { password: 'not-the-password' }, 'refused the user'],
    ['a closed port', { host: '127.0.0.1', port: 1 }, 'does not accept connections'],
    ['no such database', { database: 'nowhere' }, 'no database "nowhere"'],
  ])('%s: 400 and nothing is stored', async (_, change, said) => {
    await time.advance(60_000)
    const before = readCredentials(app.config.dataPath)
    const [status, answer] = await json(await call({ ...(await details()), ...change }))
    expect(status).toBe(400)
    if (said !== undefined) {
      expect(answer).toMatchObject({ details: expect.stringContaining(said) })
    }
    expect(readCredentials(app.config.dataPath)).toEqual(before)
  })

  test('what the environment sets cannot be overridden', async () => {
    const other = await testApp({ environment: { POSTGRES_PASSWORD: '' } })
    const headers = { 'X-Api-Key': other.key }
    const answer = await script(other, '/api/Setup/external', await details(), headers)
    expect(await json(answer)).toMatchObject([
      400,
      { error: expect.stringContaining('POSTGRES_HOST') },
    ])
    await other.stop()
  })

  test('a role that may not create tables is refused', async () => {
    const server = await details()
    const { admin } = await testServer()
    const name = `reader_${crypto.randomUUID().slice(0, 8)}`
    await admin.unsafe(`create role ${name} login password 'Reader-Password-1'`)
    const body = { ...server, username: name, password: 'Reader-Password-1' }
    expect(await json(await call(body))).toMatchObject([
      400,
      { details: expect.stringContaining('may not create tables') },
    ])
  })

  test('after the set-up only the owner may', async () => {
    await time.advance(60_000)
    const owner = await signInOwner(app)
    app.settings.set('setup.isCompleted', true)
    const server = await details()
    expect((await call(server)).status).toBe(403)
    const changes = () =>
      app.control.audit
        .read({ limit: 1000, before: null })
        .filter(({ event }) => event === 'DatabaseChanged')
    const before = changes().length
    expect((await owner.post('/api/Setup/external', server)).status).toBe(200)
    expect(changes()).toHaveLength(before + 1)
    expect(changes()[0]?.actorAccountId).toBe(app.control.accounts.owner()?.id ?? '')
    const user = await signInAs(app, 'user')
    expect((await user.post('/api/Setup/external', server)).status).toBe(403)
  })

  test('a reopened set-up lets nobody else move the history', async () => {
    await time.advance(60_000)
    const owner = await signInOwner(app)
    const user = await signInAs(app, 'user')
    const open = { completed: false }
    await owner.patch('/api/system/setup', { completed: true })
    expect((await user.patch('/api/system/setup', open)).status).toBe(403)
    expect(app.settings.get('setup.isCompleted')).toBe(true)
    expect((await owner.patch('/api/system/setup', open)).status).toBe(200)
    const before = readCredentials(app.config.dataPath)
    const server = await details()
    expect((await user.post('/api/Setup/external', server)).status).toBe(403)
    // The installation key, with which the user signs in.
    expect((await call(server)).status).toBe(403)
    expect(readCredentials(app.config.dataPath)).toEqual(before)
    expect((await owner.post('/api/Setup/external', server)).status).toBe(200)
  })

  test('with authentication disabled the key is required', async () => {
    const environment = {
      POSTGRES_HOST: '',
      POSTGRES_PASSWORD: '',
      Security__EnableAuthentication: 'false',
    }
    const open = await testApp({ environment })
    const server = await details()
    const headers = { 'X-Api-Key': open.key }
    expect((await script(open, '/api/Setup/external', server)).status).toBe(401)
    open.settings.set('setup.isCompleted', true)
    expect((await script(open, '/api/Setup/external', server)).status).toBe(401)
    expect((await script(open, '/api/Setup/external', server, headers)).status).toBe(200)
    await open.stop()
  })
})
