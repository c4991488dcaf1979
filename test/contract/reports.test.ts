import { describe, expect, test } from 'bun:test'
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { History } from '../../db/history/history.ts'
import { testApp, type TestApp } from '../support/app.ts'
import { ManualTime } from '../support/manual-time.ts'
import { freshHistory } from '../support/postgres.ts'
import { seedHistory } from '../support/seed-history.ts'
import { Browser, signInAs } from '../support/sign-in.ts'
import { contractOperations, positional } from './contract.ts'

const until = '2026-11-21T12:00:00.000Z'
const now = Date.parse(until) / 1000
const groups = new Set(['Clients', 'Downloads and Reporting'])

interface Route {
  method: string
  path: string
  hooks: { response?: Record<number, TSchema>; detail?: { tags?: string[]; 'x-access'?: string } }
}

interface FilledApp {
  app: TestApp
  user: Browser
  /** Ids for the paths' parameters. */
  ids: { event: number; other: number; group: number }
}

const apps = new Map<string, FilledApp>()

async function furnish(name: string, history?: History): Promise<void> {
  const clock = new ManualTime(until)
  const app = await testApp({
    clock,
    isIngesting: true,
    ...(history === undefined ? {} : { history }),
  })
  const user = await signInAs(app, 'user')
  const idOf = async (path: string, body: unknown, usual = 1): Promise<number> => {
    const answer = await user.post(path, body)
    return answer.status === 200 ? JSON.parse(await answer.text()).id : usual
  }
  const party = { name: 'Party', startTime: now - 86_400 * 3, endTime: now }
  const ids = {
    event: await idOf('/api/events', party),
    other: await idOf('/api/events', { ...party, name: 'Another' }, 2),
    group: await idOf('/api/client-groups', { nickname: 'Group', initialIps: ['10.0.0.11'] }),
  }
  await user.post('/api/ext/views', { name: 'View', page: 'downloads', query: '' })
  apps.set(name, { app, user, ids })
}

const filled = await freshHistory()
const empty = await freshHistory()
await seedHistory(filled.connection(), { downloads: 2000 })
await furnish('filled', filled)
await furnish('empty', empty)
await furnish('away')
// Groups of routes name themselves; the contract's are identified by their operations.
const known = new Set(
  contractOperations.filter(({ tag }) => groups.has(tag)).map(({ key }) => positional(key)),
)
const all = (apps.get('filled')?.app.apiRoutes ?? []) as unknown as Route[]
const routes = all.filter(
  ({ method, path, hooks }) =>
    method === 'GET' &&
    // A user asks.
    hooks.detail?.['x-access'] !== 'owner' &&
    (known.has(positional(`GET ${path.replaceAll(/:(\w+)/g, '{$1}')}`)) ||
      (path.startsWith('/api/ext/') && hooks.detail?.tags?.some((tag) => groups.has(tag)))),
)

/** Required query parameters of a route, besides its ids. */
const queries: Record<string, (ids: FilledApp['ids']) => string> = {
  '/api/ext/events/compare': ({ event, other }) => `?ids=${event},${other}`,
  '/api/ext/downloads': () => '?ids=1,2',
  '/api/events/calendar': () => `?start=${now - 86_400 * 30}&end=${now}`,
}

function pathOf({ path }: Route, { ids }: FilledApp): string {
  const values: Record<string, string> = {
    service: 'steam',
    number: 'dashboard.totalServed',
    ip: '10.0.0.12',
    id: path.includes('/games/') ? '1000' : '1900',
  }
  if (path.includes('events/')) values.id = String(ids.event)
  if (path.includes('client-groups/')) values.id = String(ids.group)
  const filledIn = path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? '1')
  return filledIn + (queries[path]?.(ids) ?? '')
}

/** Answers 404 when nothing was downloaded. */
const missingWhenEmpty =
  /\/api\/(downloads\/:id|ext\/downloads\/:id\/\w+|ext\/(games|clients|services)\/:\w+(\/:\w+)?)$/
/** Reads the access log, which these installations do not have. */
const logReader = '/api/ext/downloads/:id/log'

async function ask(name: string, route: Route) {
  const app = apps.get(name)
  if (app === undefined) throw new Error(`no app is called ${name}`)
  const response = await app.user.get(pathOf(route, app))
  const text = await response.text()
  const type = response.headers.get('Content-Type') ?? ''
  const body: unknown = type.includes('json') ? JSON.parse(text) : text
  return { response, body, text }
}

function expectForm({ hooks, path }: Route, status: number, body: unknown): void {
  const schema = hooks.response?.[status]
  // A file is declared as text.
  if (schema === undefined) throw new Error(`${path}: an answer with ${status} is not declared`)
  if (schema.type !== 'string') expect([...Value.Errors(schema, body)].slice(0, 3)).toEqual([])
}

describe('every read of clients, downloads and reports', () => {
  test('include those of the contract and additional ones', () => {
    expect(routes.length).toBeGreaterThan(25)
    expect(routes.map(({ path }) => path)).toContain('/api/ext/events/compare')
  })

  test('match their schema with data', async () => {
    for (const route of routes) {
      const { response, body, text } = await ask('filled', route)
      const wanted = route.path === logReader ? 400 : 200
      expect([route.path, response.status, response.status === wanted ? '' : text]).toEqual([
        route.path,
        wanted,
        '',
      ])
      expectForm(route, wanted, body)
    }
  })

  test('match their schema without data', async () => {
    for (const route of routes) {
      const { response, body } = await ask('empty', route)
      const wanted = missingWhenEmpty.test(route.path) ? 404 : 200
      expect([route.path, response.status]).toEqual([route.path, wanted])
      expectForm(route, wanted, body)
    }
  })

  test('send Retry-After while the history is away, or work without it', async () => {
    const away: string[] = []
    for (const route of routes) {
      const { response, body } = await ask('away', route)
      expect([route.path, [200, 503].includes(response.status)]).toEqual([route.path, true])
      expectForm(route, response.status, body)
      if (response.status === 200) continue
      away.push(route.path)
      expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0)
      expect((body as { error: string }).error.length).toBeGreaterThan(10)
    }
    expect(away).toContain('/api/downloads/retro')
    expect(away).toContain('/api/ext/downloads/export')
  })

  test('need a session', async () => {
    const filled = apps.get('filled')
    if (filled === undefined) throw new Error('no app')
    for (const route of routes) {
      const stranger = new Browser(filled.app)
      const path = pathOf(route, filled)
      expect([route.path, (await stranger.get(path)).status]).toEqual([route.path, 401])
    }
  })
})
