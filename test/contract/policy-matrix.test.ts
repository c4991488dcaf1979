import { describe, expect, test } from 'bun:test'
import { withoutAntiforgery } from '../../src/core/http/antiforgery.ts'
import { testApp, type TestApp } from '../support/app.ts'
import { Browser, signInAs, signInGuest, signInOwner } from '../support/sign-in.ts'
import { contractOperations, positional } from './contract.ts'

const roles = ['anonymous', 'guest', 'user', 'admin', 'owner'] as const
type Role = (typeof roles)[number]

/** Leaves this machine's nginx and container engine alone. */
const alone = { NginxLogRotation__Enabled: 'false', DOCKER_HOST: 'unix:///nonexistent/engine.sock' }

/** Beyond the contract: routes below `/api/ext` are for account holders unless they are listed here. */
const beyond: Readonly<Record<string, string>> = {
  'GET /api/ext/oidc/status': 'public',
  'GET /api/ext/oidc/start': 'public',
  'GET /api/ext/oidc/callback': 'public',
  'GET /api/ext/cache/forecast': 'session',
  'GET /api/ext/cache/history': 'session',
  'GET /api/ext/cache/sizes': 'session',
  'GET /api/ext/downloads': 'session',
  'GET /api/ext/downloads/export': 'session',
  'GET /api/ext/downloads/summary': 'session',
  'GET /api/ext/downloads/{}/speeds': 'session',
  'GET /api/ext/events/compare': 'session',
  'GET /api/ext/events/{}/export': 'session',
  'GET /api/ext/events/{}/report': 'session',
  'GET /api/ext/games/{}/{}': 'session',
  'GET /api/ext/games/{}/{}/traffic': 'session',
  'GET /api/ext/savings': 'session',
  'GET /api/ext/services/{}': 'session',
  'GET /api/ext/services/{}/traffic': 'session',
  'GET /api/ext/speeds/recent': 'session',
  'GET /api/ext/oidc/settings': 'owner',
  'PUT /api/ext/oidc/settings': 'owner',
  'DELETE /api/ext/oidc/settings': 'owner',
  'POST /api/ext/oidc/test': 'owner',
  'GET /api/ext/audit': 'owner',
  'GET /api/ext/links': 'owner',
  'POST /api/ext/links': 'owner',
  'DELETE /api/ext/links/{}': 'owner',
  // For share links, which the matrix of links calls.
  'GET /api/ext/links/own': 'link',
  'GET /api/ext/backups': 'admin',
  'POST /api/ext/backups': 'admin',
  'PUT /api/ext/backups/settings': 'admin',
  'GET /api/ext/backups/{}/file': 'owner',
  'DELETE /api/ext/backups/{}': 'owner',
  'POST /api/ext/backups/{}/restore': 'owner',
  'POST /api/ext/backups/upload': 'owner',
  'GET /api/ext/party/{}': 'owner',
  'PUT /api/ext/party/{}': 'owner',
  'DELETE /api/ext/party/{}': 'owner',
  'POST /api/ext/party/{}/links': 'owner',
  'PUT /api/ext/party/{}/name': 'owner',
  'GET /api/ext/party/{}/guest': 'owner',
  'GET /api/ext/party/{}/kiosk': 'owner',
  'GET /api/ext/party/{}/games': 'owner',
  'POST /api/ext/party/{}/wishes': 'owner',
  'DELETE /api/ext/party/{}/wishes/{}': 'owner',
  'PUT /api/ext/party/{}/wishes/{}/vote': 'owner',
  'DELETE /api/ext/party/{}/wishes/{}/vote': 'owner',
  'POST /api/ext/retention/rules': 'admin',
  'PUT /api/ext/retention/rules/{}': 'admin',
  'DELETE /api/ext/retention/rules/{}': 'admin',
  'PUT /api/ext/retention/pins': 'admin',
  'DELETE /api/ext/retention/pins': 'admin',
  'PUT /api/ext/retention/settings': 'admin',
  'DELETE /api/ext/retention/pending/{}': 'admin',
  'POST /api/ext/retention/pending/{}/now': 'admin',
  'POST /api/ext/retention/ask': 'admin',
  'GET /api/ext/clients/query-log': 'admin',
  'PUT /api/ext/clients/query-log': 'admin',
  'GET /api/ext/notifications': 'admin',
  'GET /api/ext/notifications/history': 'admin',
  'PUT /api/ext/savings': 'admin',
  'PUT /api/ext/data-cap': 'admin',
  'PUT /api/ext/notifications/rules': 'admin',
  'PUT /api/ext/notifications/quiet-hours': 'admin',
  'PUT /api/ext/notifications/language': 'admin',
  'POST /api/ext/history-link': 'admin',
  'POST /api/ext/logs/quarantine/retry': 'admin',
  'POST /api/ext/notifications/targets': 'admin',
  'PUT /api/ext/notifications/targets/{}': 'admin',
  'PATCH /api/ext/notifications/targets/{}': 'admin',
  'DELETE /api/ext/notifications/targets/{}': 'admin',
  'POST /api/ext/notifications/targets/{}/test': 'admin',
  'GET /api/ext/widgets/tokens': 'admin',
  'POST /api/ext/widgets/tokens': 'admin',
  'DELETE /api/ext/widgets/tokens/{}': 'admin',
  'GET /api/ext/log': 'admin',
  'GET /api/ext/nodes': 'admin',
  'POST /api/ext/nodes': 'admin',
  'POST /api/ext/nodes/{}/token': 'admin',
  'PATCH /api/ext/nodes/{}': 'admin',
  'POST /api/ext/nodes/{}/revoke': 'admin',
  'DELETE /api/ext/nodes/{}': 'admin',
  'GET /api/ext/mqtt': 'admin',
  'PUT /api/ext/mqtt': 'admin',
  'PUT /api/ext/updates': 'admin',
  'POST /api/ext/updates/check': 'admin',
  // Public on the route line: callers without a session send the token of a widget.
  'GET /api/widgets/summary': 'session',
  'GET /api/widgets/badge.svg': 'session',
  'GET /DownloadStats/GetTotalDownloadStats': 'session',
  // Public on the route line: callers without a session send the feed's token.
  'GET /api/ext/events/calendar.ics': 'session',
  'GET /openapi/v1.json': 'admin',
  'GET /openapi/ext.json': 'admin',
  'GET /openapi/events.json': 'admin',
  'GET /reference': 'admin',
}
const contract = new Map(contractOperations.map(({ key, policy }) => [positional(key), policy]))

interface Line {
  key: string
  method: string
  path: string
  policy: string
}

interface RouteLike {
  method: string
  path: string
  hooks?: { detail?: { 'x-access'?: string; 'x-limit'?: string } }
}

function lineOf({ method, path, hooks }: RouteLike): Line {
  const key = `${method} ${path}`
  const isPage = method === 'GET' && !path.startsWith('/api/')
  const policy =
    contract.get(positional(key)) ??
    beyond[positional(key)] ??
    (method === 'WS' ? hooks?.detail?.['x-access'] : undefined) ??
    (path.startsWith('/api/ext/') ? 'account' : isPage ? 'public' : 'none')
  return { key, method, path, policy }
}

// Test declarations need the list of routes.
const app: TestApp = await testApp({ isIngesting: true, environment: alone })
const lines = (app.routes as unknown as RouteLike[]).map(lineOf)
const plain = lines.filter(({ method }) => method !== 'WS')
const browsers = new Map<Role, Browser>()
const host = app.listen()

async function enter(role: Role): Promise<Browser> {
  if (role === 'anonymous') return new Browser(app)
  if (role === 'owner') return signInOwner(app)
  if (role !== 'guest') return signInAs(app, role)
  const owner = await browserOf('owner')
  await owner.patch('/api/system/setup', { completed: true })
  await owner.post('/api/auth/guest/config/lock', { isLocked: false })
  return signInGuest(app)
}

/**
 * A browser signed in with this role; new when needed, because some calls end or replace sessions
 * and accounts.
 */
async function browserOf(role: Role): Promise<Browser> {
  const known = browsers.get(role)
  const session = app.control.sessions.find(known?.sessionToken ?? '')
  if (known !== undefined && session?.type === (role === 'owner' ? 'admin' : role)) return known
  const fresh = await enter(role)
  browsers.set(role, fresh)
  return fresh
}

/** Ids that do not exist: the policy must refuse before anything is looked up. */
const pathOf = ({ path }: Line) =>
  path.replaceAll(/:(\w+)/g, (_, name: string) =>
    /^(id|sessionId|scanId)$/.test(name) &&
    /accounts|sessions|guest|user-pref|operations|retention|views|notifications|widgets|links|nodes/.test(
      path,
    )
      ? '00000000-0000-4000-8000-000000000000'
      : '999999999',
  )

function admits(policy: string, role: Role): boolean {
  if (policy === 'public') return true
  if (role === 'anonymous' || policy === 'link') return false
  if (policy === 'session') return true
  if (policy === 'owner') return role === 'owner'
  if (policy === 'admin') return role === 'owner' || role === 'admin'
  return role !== 'guest'
}

/**
 * A refusal by policy is an empty 401 or 403, or names who may; a refusal by a service gives its
 * reason.
 */
const isPolicyRefusal = (status: number, body: string) =>
  (status === 401 || status === 403) &&
  (body === '' || body.includes('Only the owner of this installation may do this'))

test('every route has a policy, including the hub and the documents', () => {
  expect(lines.filter(({ policy }) => policy === 'none')).toEqual([])
  const keys = lines.map(({ key }) => positional(key))
  expect(Object.keys(beyond).filter((key) => !keys.includes(key))).toEqual([])
  expect(keys).toContain('WS /hubs/downloads')
  expect(keys.filter((key) => key.includes(' /api/ext/')).length).toBeGreaterThan(50)
})

describe.each(plain.map((line) => [line.key, line] as const))('%s', (_, line) => {
  test.each(roles)('as %s', async (role) => {
    const browser = await browserOf(role)
    const answer = await browser.send(line.method, pathOf(line))
    const body = await answer.text()
    const isRefused = isPolicyRefusal(answer.status, body)
    expect(isRefused).toBe(!admits(line.policy, role))
    if (isRefused) expect(answer.status).toBe(role === 'anonymous' ? 401 : 403)
    expect(answer.status === 500 ? body : '').toBe('')
  })
})

/** The token of a session that no test uses. */
let foreign: string | undefined
const writes = plain.filter(({ method }) => method !== 'GET')

describe.each(
  writes.filter(({ key }) => !(key in withoutAntiforgery)).map((line) => [line.key, line] as const),
)('%s needs the antiforgery token', (_, line) => {
  test.each([
    ['none', undefined],
    ['of another session', 'foreign'],
  ])('%s', async (_name, kind) => {
    const browser = await browserOf('owner')
    foreign ??= await new Browser(app).token()
    // A different address each time: rate limits apply before the token is checked.
    const headers: Record<string, string> = { 'X-Forwarded-For': new Browser(app).address }
    if (kind !== undefined) headers['X-Antiforgery-Token'] = foreign
    const answer = await browser.send(line.method, pathOf(line), { withoutToken: true, headers })
    expect(answer.status).toBe(400)
    expect(((await answer.json()) as { error: string }).error).toMatch(/antiforgery/i)
  })
})

test('HEAD is refused like GET', async () => {
  const stranger = new Browser(app)
  for (const line of plain.filter(({ method }) => method === 'GET')) {
    const { status } = await stranger.send('HEAD', pathOf(line))
    expect([line.key, status === 401]).toEqual([line.key, line.policy !== 'public'])
  }
})

test('rate limits match the contract', () => {
  const limited = (app.routes as unknown as RouteLike[]).flatMap((route) => {
    const budget = route.hooks?.detail?.['x-limit']
    return budget === undefined ? [] : [`${budget} ${route.method} ${route.path}`]
  })
  expect(limited.sort()).toEqual([
    'accounts POST /api/accounts',
    'accounts PUT /api/accounts/:id',
    'alphaAuth POST /api/alpha-auth/login',
    'auth POST /api/Setup/credentials',
    'auth POST /api/Setup/external',
    'auth POST /api/account-setup/first-admin',
    'auth POST /api/account-setup/open-main-admin-recovery',
    'auth POST /api/account-setup/recover-main-admin',
    'auth POST /api/api-keys/regenerate',
    'auth POST /api/auth/guest',
    'auth POST /api/auth/login',
    'auth POST /api/auth/password',
    'party DELETE /api/ext/party/:id/wishes/:wish/vote',
    'party POST /api/ext/party/:id/wishes',
    'party PUT /api/ext/party/:id/name',
    'party PUT /api/ext/party/:id/wishes/:wish/vote',
  ])
})

describe('the hub', () => {
  test.each(roles)('as %s', async (role) => {
    const { sessionToken } = await browserOf(role)
    const headers = { Cookie: `Svc.Session=${sessionToken ?? ''}` }
    const socket = new WebSocket(`ws://${host}/hubs/downloads`, { headers })
    const isOpen = await new Promise((resolve) => {
      socket.addEventListener('open', () => resolve(true))
      socket.addEventListener('error', () => resolve(false))
    })
    socket.close()
    expect(isOpen).toBe(role !== 'anonymous')
  })
})
