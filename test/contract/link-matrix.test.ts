import { describe, expect, test } from 'bun:test'
import { sharePageNames, type SharePage } from '../../src/core/lib/share-pages.ts'
import { testApp, type TestApp } from '../support/app.ts'
import { Browser, signInOwner } from '../support/sign-in.ts'

/** Everything that links may call, by their page. A route that is added is added here. */
const opened: Readonly<Record<SharePage, readonly string[]>> = {
  report: ['GET /api/ext/links/own', 'GET /api/ext/events/:id/report'],
  party: [
    'GET /api/ext/links/own',
    'GET /api/ext/party/:id/guest',
    'GET /api/ext/party/:id/games',
    'POST /api/ext/party/:id/wishes',
    'PUT /api/ext/party/:id/name',
    'PUT /api/ext/party/:id/wishes/:wish/vote',
    'DELETE /api/ext/party/:id/wishes/:wish/vote',
  ],
  kiosk: ['GET /api/ext/links/own', 'GET /api/ext/party/:id/kiosk'],
}
const subject = '4711'

/** Leaves this machine's nginx and container engine alone. */
const alone = { NginxLogRotation__Enabled: 'false', DOCKER_HOST: 'unix:///nonexistent/engine.sock' }

// Test declarations need the list of routes.
const app: TestApp = await testApp({ environment: alone })
const isApi = /^\/(?:api|hubs|DownloadStats|openapi|reference|metrics)\b/
const routes = app.routes.filter(({ method, path }) => method !== 'WS' && isApi.test(path))

const owner = await signInOwner(app)

function linkOf(page: SharePage): string {
  const wanted = { page, subject, label: '', hours: 1, showsNames: false }
  return app.control.links.create(wanted, null).token
}

/** A new address for each call: limits apply before the link is looked at. */
function call(method: string, path: string, token: string, cookies?: Browser): Promise<Response> {
  const browser = new Browser(app)
  for (const [name, value] of cookies?.cookies ?? []) browser.cookies.set(name, value)
  return browser.send(method, path, { withoutToken: true, headers: { 'X-Share-Link': token } })
}

/** The path with this id as its subject, and something for every other parameter. */
const pathOf = (path: string, id: string) =>
  path.replace('/:id', `/${id}`).replaceAll(/:\w+/g, '999999999').replace('*', 'none')

test('there are routes to refuse', () => {
  const keys = routes.map(({ method, path }) => `${method} ${path}`)
  expect(keys.length).toBeGreaterThan(350)
  expect(Object.values(opened).flatMap((own) => own.filter((key) => !keys.includes(key)))).toEqual(
    [],
  )
})

describe.each(sharePageNames)('a link to the page %s', (page) => {
  const own = (key: string) => opened[page].includes(key)

  test('opens the routes of its page and no other, public ones included', async () => {
    const token = linkOf(page)
    for (const { method, path } of routes) {
      const key = `${method} ${path}`
      const { status } = await call(method, pathOf(path, subject), token)
      expect([key, status === 401 || status === 403]).toEqual([key, !own(key)])
      expect([key, status === 500]).toEqual([key, false])
    }
  })

  test('opens them for its own subject alone', async () => {
    const token = linkOf(page)
    const foreign = ['4712', '04711', '4711.0', '%34%37%31%32', '1']
    const subjects = routes.filter(
      ({ method, path }) => own(`${method} ${path}`) && path.includes(':id'),
    )
    for (const { method, path } of subjects) {
      for (const id of foreign) {
        const { status } = await call(method, pathOf(path, id), token)
        expect([method, path, id, status]).toEqual([method, path, id, 403])
      }
    }
  })

  test('gives a signed-in owner no more than others', async () => {
    const { status } = await call('GET', '/api/ext/audit', linkOf(page), owner)
    expect(status).toBe(403)
    expect((await owner.get('/api/ext/audit')).status).toBe(200)
  })

  test('opens no socket', async () => {
    const host = app.listen()
    const paths = app.routes.filter(({ method }) => method === 'WS').map(({ path }) => path)
    expect(paths).toContain('/hubs/downloads')
    for (const path of paths) {
      const headers = { 'X-Share-Link': linkOf(page), Cookie: `Svc.Session=${owner.sessionToken}` }
      const socket = new WebSocket(`ws://${host}${pathOf(path, subject)}`, { headers })
      const isOpen = await new Promise((resolve) => {
        socket.addEventListener('open', () => resolve(true))
        socket.addEventListener('error', () => resolve(false))
      })
      socket.close()
      expect([path, isOpen]).toEqual([path, false])
    }
  })
})
