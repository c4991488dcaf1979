import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { testApp, type TestApp } from '../support/app.ts'
import { Browser, signInAs, signInGuest, signInOwner } from '../support/sign-in.ts'
import { contractOperations, type Operation } from './contract.ts'
import pending from './pending.json'

const built = contractOperations.filter(({ key }) => !pending.includes(key))
const roles = ['anonymous', 'guest', 'user', 'admin', 'owner'] as const
type Role = (typeof roles)[number]

/** Carry the key themselves and run before anybody can have a session. */
const withoutAntiforgery = /\/api\/(account-setup|Setup)\//
const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
const isGuarded = ({ method, path }: Operation) =>
  writes.has(method) && !withoutAntiforgery.test(path)

let app: TestApp
const browsers = new Map<Role, Browser>()

beforeAll(async () => {
  app = await testApp({ isIngesting: true })
})
afterAll(() => app.stop())

async function enter(role: Role): Promise<Browser> {
  if (role === 'anonymous') return new Browser(app)
  if (role === 'owner') return signInOwner(app)
  if (role !== 'guest') return signInAs(app, role)
  const owner = await browserOf('owner')
  await owner.patch('/api/system/setup', { completed: true })
  await owner.post('/api/auth/guest/config/lock', { isLocked: false })
  return signInGuest(app)
}

interface Status {
  sessionType: string | null
}

/** A browser of this role now: some calls of the matrix end or replace sessions and accounts. */
async function browserOf(role: Role): Promise<Browser> {
  const known = browsers.get(role)
  if (known !== undefined && role !== 'anonymous') {
    const status = (await (await known.get('/api/auth/status')).json()) as Status
    if (status.sessionType === (role === 'owner' ? 'admin' : role)) return known
  }
  const fresh = await enter(role)
  browsers.set(role, fresh)
  return fresh
}

/** Ids that exist nowhere: the policy has to speak before anything is looked up. */
const pathOf = ({ path }: Operation) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    /^(id|sessionId|scanId)$/.test(name) &&
    /accounts|sessions|guest|user-pref|operations/.test(path)
      ? '00000000-0000-4000-8000-000000000000'
      : '999999999',
  )

function admits(policy: string, role: Role): boolean {
  if (policy === 'public') return true
  if (role === 'anonymous') return false
  if (policy === 'session') return true
  return role !== 'guest'
}

describe.each(built.map((operation) => [operation.key, operation] as const))(
  '%s',
  (_, operation) => {
    test.each(roles)('as %s', async (role) => {
      const browser = await browserOf(role)
      const answer = await browser.send(operation.method, pathOf(operation))
      const body = await answer.text()
      // A refusal by policy is an empty 401 or 403; what a service refuses says why.
      const isRefused = (answer.status === 401 || answer.status === 403) && body === ''
      expect(isRefused).toBe(!admits(operation.policy, role))
      if (isRefused) expect(answer.status).toBe(role === 'anonymous' ? 401 : 403)
      expect(answer.status === 500 ? body : '').toBe('')
    })
  },
)

describe.each(built.filter(isGuarded).map((operation) => [operation.key, operation] as const))(
  '%s needs the antiforgery token',
  (_, operation) => {
    test.each([
      ['none', undefined],
      ['of somebody else', 'foreign'],
    ])('%s', async (_name, kind) => {
      const browser = await browserOf('owner')
      const foreign = await new Browser(app).token()
      // From another address each time: rate limits come before the token.
      const headers: Record<string, string> = { 'X-Forwarded-For': new Browser(app).address }
      if (kind !== undefined) headers['X-Antiforgery-Token'] = foreign
      const answer = await browser.send(operation.method, pathOf(operation), {
        withoutToken: true,
        headers,
      })
      expect(answer.status).toBe(400)
      expect(((await answer.json()) as { error: string }).error).toMatch(/antiforgery/i)
    })
  },
)
