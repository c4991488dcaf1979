import { describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import {
  Browser,
  signIn,
  signInAs,
  signInGuest,
  signInOwner,
  testPassword,
} from '../../../test/support/sign-in.ts'
import type { Account } from './model.ts'

const app = await testApp()
const owner = await signInOwner(app)
const admin = await signInAs(app, 'admin')
const user = await signInAs(app, 'user')
const guest = await signInGuest(app)

const list = async (browser: Browser) =>
  (await (await browser.get('/api/accounts')).json()) as Account[]
const ids = Object.fromEntries((await list(owner)).map(({ id, username }) => [username, id]))
const names = async (browser: Browser) => (await list(browser)).map(({ username }) => username)
const body = async (response: Response) => [response.status, await response.json()] as const
const person = (username: string, more: object = {}) => ({
  username,
  password: testPassword,
  role: 'user',
  ...more,
})

describe('visibility', () => {
  test('the owner sees all, an admin all but the owner, a user no admins', async () => {
    expect(await names(owner)).toEqual(['owner', 'some-admin', 'some-user'])
    expect(await names(admin)).toEqual(['some-admin', 'some-user'])
    expect(await names(user)).toEqual(['some-user'])
  })

  test('a hidden account answers as if it did not exist', async () => {
    const hidden = await body(await admin.get(`/api/accounts/${ids.owner}`))
    const missing = await body(await admin.get(`/api/accounts/${crypto.randomUUID()}`))
    expect(hidden).toEqual(missing)
    expect(hidden[0]).toBe(404)
    expect((await user.get(`/api/accounts/${ids['some-admin']}`)).status).toBe(404)
    expect((await user.delete(`/api/accounts/${ids['some-admin']}`)).status).toBe(404)
  })

  test('an account has every member of the contract', async () => {
    const [status, account] = await body(await owner.get(`/api/accounts/${ids['some-user']}`))
    expect(status).toBe(200)
    expect(account).toEqual({
      id: ids['some-user'],
      username: 'some-user',
      role: 'user',
      isMainAdmin: false,
      isDisabled: false,
      createdAtUtc: expect.stringMatching(/Z$/),
      lastLoginAtUtc: expect.stringMatching(/Z$/),
    })
  })

  test('a malformed id is not an API path', async () => {
    const response = await owner.get('/api/accounts/owner')
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toContain('text/html')
    expect((await owner.delete('/api/accounts/owner')).status).toBe(404)
  })
})

describe('creating', () => {
  test('200 with Location; the name keeps its case and is unique ignoring it', async () => {
    const response = await admin.post('/api/accounts', person(' Ärger Müller '))
    const [status, account] = await body(response)
    expect(status).toBe(200)
    expect(account).toMatchObject({ username: 'Ärger Müller', lastLoginAtUtc: null })
    expect(response.headers.get('Location')).toBe(`/api/accounts/${(account as Account).id}`)
    const twice = await body(await owner.post('/api/accounts', person('ÄRGER MÜLLER')))
    expect(twice).toMatchObject([409, { stageKey: 'errors.accounts.usernameTaken' }])
  })

  test.each([
    ['no role', { role: undefined }, 400, undefined],
    ['unknown role', { role: 'root' }, 400, undefined],
    ['role as number', { role: 1 }, 400, undefined],
    ['guest', { role: 'guest' }, 400, 'errors.accounts.roleNotAssignable'],
    ['no name', { username: '  ' }, 400, 'errors.accounts.credentialsRejected'],
    ['long name', { username: 'x'.repeat(65) }, 400, 'errors.accounts.credentialsRejected'],
    ['line in name', { username: 'a\nb' }, 400, 'errors.accounts.credentialsRejected'],
    ['short password', { password: 'Short-1' }, 400, 'errors.accounts.credentialsRejected'],
    ['two classes', { password: 'onlylowercase1' }, 400, 'errors.accounts.credentialsRejected'],
    ['no password', { password: null }, 400, 'errors.accounts.credentialsRejected'],
    [
      'password = name',
      { username: 'Same-Thing-99', password: 'same-thing-99' },
      400,
      'errors.accounts.credentialsRejected',
    ],
  ])('%s', async (_, more, status, stageKey) => {
    const browser = await signIn(app, 'some-admin')
    const [got, answer] = await body(await browser.post('/api/accounts', person('new', more)))
    expect(got).toBe(status)
    expect((answer as { stageKey?: string }).stageKey).toBe(stageKey)
    expect(JSON.stringify(answer)).not.toContain(testPassword)
  })

  test('only the owner creates admins', async () => {
    const wanted = person('chief', { role: 'admin' })
    expect(await body(await admin.post('/api/accounts', wanted))).toMatchObject([
      403,
      { stageKey: 'errors.accounts.adminRoleRequiresMainAdmin' },
    ])
    expect((await owner.post('/api/accounts', wanted)).status).toBe(200)
  })

  test('more than ten a minute: 429', async () => {
    const browser = await signIn(app, 'owner')
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) {
      statuses.push((await browser.post('/api/accounts', person('x', { role: 'guest' }))).status)
    }
    expect(statuses.slice(9)).toEqual([400, 429])
    // Updates share the budget.
    expect((await browser.put(`/api/accounts/${ids['some-user']}`, {})).status).toBe(429)
  })
})

describe('changing', () => {
  const make = async (username: string, more: object = {}) => {
    const maker = await signIn(app, 'owner')
    const [, account] = await body(await maker.post('/api/accounts', person(username, more)))
    return { id: (account as Account).id, browser: await signIn(app, username) }
  }

  test('a rename keeps sessions, a new password ends them', async () => {
    const { id, browser } = await make('renamed')
    const rename = await body(await admin.put(`/api/accounts/${id}`, { username: 'Renamed2' }))
    expect(rename).toMatchObject([200, { username: 'Renamed2' }])
    expect((await browser.post('/api/auth/heartbeat')).status).toBe(200)
    const change = { username: 'Renamed2', password: 'Another-Horse-43' }
    expect((await admin.put(`/api/accounts/${id}`, change)).status).toBe(200)
    expect((await browser.get('/api/accounts')).status).toBe(401)
    await signIn(app, 'renamed2', 'Another-Horse-43')
  })

  test.each([
    ['nothing', {}, 400],
    ['a bad name', { username: '' }, 400],
    ['a bad password', { username: 'some-user', password: 'x' }, 400],
    ['a taken name', { username: 'SOME-ADMIN' }, 409],
  ])('%s is refused', async (_, change, status) => {
    const response = await owner.put(`/api/accounts/${ids['some-user']}`, change)
    expect(response.status).toBe(status)
  })

  test('the owner account is protected, even from the owner', async () => {
    const path = `/api/accounts/${ids.owner}`
    const protectedText = { stageKey: 'errors.accounts.mainAdminProtected' }
    const change = { username: 'owner', password: testPassword }
    const answers = [
      await owner.put(path, change),
      await owner.put(`${path}/disabled`, { disabled: true }),
      await owner.put(`${path}/role`, { role: 'user' }),
      await owner.delete(path),
    ]
    for (const answer of answers) expect(await body(answer)).toMatchObject([403, protectedText])
  })

  test('nobody can disable, demote or delete their own account', async () => {
    const path = `/api/accounts/${ids['some-admin']}`
    const answers = [
      await admin.put(`${path}/disabled`, { disabled: true }),
      await admin.put(`${path}/role`, { role: 'user' }),
      await admin.delete(path),
    ]
    const own = { stageKey: 'errors.accounts.selfProtected' }
    for (const answer of answers) expect(await body(answer)).toMatchObject([403, own])
  })

  test('disabling ends sessions and sign-in, enabling allows it again', async () => {
    const { id, browser } = await make('away')
    const path = `/api/accounts/${id}/disabled`
    expect((await admin.put(path, {})).status).toBe(400)
    expect(await body(await admin.put(path, { disabled: true }))).toMatchObject([
      200,
      { isDisabled: true },
    ])
    expect((await browser.get('/api/accounts')).status).toBe(401)
    const again = { apiKey: app.key, username: 'away', password: testPassword }
    expect((await new Browser(app).post('/api/auth/login', again)).status).toBe(401)
    expect((await admin.put(path, { disabled: false })).status).toBe(200)
    expect((await browser.get('/api/accounts')).status).toBe(401)
    await signIn(app, 'away')
  })

  test('a new role ends existing sessions', async () => {
    const { id, browser } = await make('riser')
    const path = `/api/accounts/${id}/role`
    expect((await admin.put(path, { role: 'admin' })).status).toBe(403)
    expect((await owner.put(path, { role: 'guest' })).status).toBe(400)
    expect(await body(await owner.put(path, { role: 'admin' }))).toMatchObject([
      200,
      { role: 'admin' },
    ])
    expect((await browser.get('/api/accounts')).status).toBe(401)
  })

  test('an account that becomes an admin during a change is out of reach of a user', async () => {
    const { id } = await make('climber')
    const path = `/api/accounts/${id}`
    const change = user.put(path, { username: 'climber', password: 'Another-Horse-43' })
    expect((await owner.put(`${path}/role`, { role: 'admin' })).status).toBe(200)
    expect((await change).status).toBe(404)
    await signIn(app, 'climber')
  })

  test('deleting an account deletes its sessions', async () => {
    const { id, browser } = await make('leaver')
    expect((await user.delete(`/api/accounts/${id}`)).status).toBe(200)
    expect((await browser.get('/api/accounts')).status).toBe(401)
    expect((await owner.get(`/api/accounts/${id}`)).status).toBe(404)
  })
})

describe('wiping', () => {
  test('only the owner may; then the key can claim the installation again', async () => {
    for (const browser of [admin, user]) {
      expect(await body(await browser.post('/api/accounts/wipe'))).toMatchObject([
        403,
        { stageKey: 'errors.accounts.wipeRequiresMainAdmin' },
      ])
    }
    const { live } = await hubClient(app.listen(), admin, null)
    expect((await owner.post('/api/accounts/wipe')).status).toBe(200)
    expect((await live.closed).reason).toStartWith('accountsDeleted:')
    expect(owner.sessionToken).toBeNull()
    for (const browser of [admin, guest]) {
      expect((await browser.post('/api/auth/heartbeat')).status).toBe(401)
    }
    const fresh = await signInOwner(app)
    expect(await names(fresh)).toEqual(['owner'])
  })
})
