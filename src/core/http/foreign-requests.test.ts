import { beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { readConfig } from '../config.ts'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'

const evil = 'evil.example'
/** A write without a body that every account holder may do. */
const write = '/api/sessions/bulk/reset-to-defaults'

describe('under a foreign host name', () => {
  let app: TestApp
  beforeAll(async () => {
    const hosts = 'Games.example.org, *.lan-party.example'
    app = await testApp({ environment: { Security__AllowedHosts: hosts } })
    app.settings.set('setup.isCompleted', true)
    await signInOwner(app)
  })
  const asking = (path: string, headers: Record<string, string>, method = 'GET') =>
    app.request(path, { method, headers })

  test('a page whose name resolves to our address cannot start a guest session', async () => {
    const headers = { Host: evil, Origin: `http://${evil}`, 'Sec-Fetch-Site': 'same-origin' }
    const before = app.control.sessions.store.countGuests(new Date())
    const status = await asking('/api/auth/status', headers)
    expect(status.status).toBe(421)
    expect(status.headers.getSetCookie()).toEqual([])
    expect((await asking('/api/auth/guest', headers, 'POST')).status).toBe(421)
    expect((await asking('/', headers)).status).toBe(421)
    expect(app.control.sessions.store.countGuests(new Date())).toBe(before)
  })

  test('the refusal names the setting, has our headers and is logged with the address', async () => {
    const headers = { Host: `${evil}:8080`, 'X-Forwarded-For': '10.9.9.9' }
    const answer = await asking('/api/system/setup', headers)
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
    const { error } = (await answer.json()) as { error: string }
    expect(error).toContain(evil)
    expect(error).toContain('Security__AllowedHosts')
    const id = answer.headers.get('X-Request-Id') ?? 'none'
    const line = app.logLines.find((one) => one.includes(id))
    expect(line).toContain('"from":"10.9.9.9"')
    expect(line).toContain('Security__AllowedHosts')
  })

  test('a flood of refusals does not fill the log', async () => {
    for (let n = 0; n < 40; n++) await asking('/', { Host: evil })
    expect(app.logLines.filter((line) => line.includes('request refused')).length).toBeLessThan(21)
  })

  test.each([
    '10.0.0.5:8080',
    '[fd00::1]:5000',
    '[::1]',
    'localhost:5000',
    'nas:8080',
    'LARDER.LAN',
    'larder.local.',
    'cache.home.arpa',
    'larder.localhost',
    'games.example.org',
    'games.example.org:8443',
    'a.b.lan-party.example',
  ])('accepts the host %s', async (Host) => {
    expect((await asking('/health', { Host })).status).toBe(200)
  })

  test.each([
    evil,
    `localhost.${evil}`,
    `127.0.0.1.${evil}`,
    `nas.lan.${evil}`,
    'evilhome.arpa',
    'lan-party.example',
    'evil-lan-party.example',
    'games.example.org.evil.example',
    `${evil}@localhost`,
    `localhost, ${evil}`,
    `localhost ${evil}`,
    '[::1].evil.example',
    'localhost:port',
    '',
  ])('rejects the host %p', async (Host) => {
    expect((await asking('/health', { Host })).status).toBe(421)
  })

  test('checks the host forwarded by a trusted proxy in addition to `Host`', async () => {
    const forwarded = (Host: string, name: string) =>
      asking('/health', { Host, 'X-Forwarded-Host': name })
    expect((await forwarded('larder:8080', 'games.example.org')).status).toBe(200)
    expect((await forwarded('larder:8080', evil)).status).toBe(421)
    expect((await forwarded('larder:8080', `games.example.org, ${evil}`)).status).toBe(421)
    expect((await forwarded(evil, 'localhost')).status).toBe(421)
    app.control.attachServer({ requestIP: () => ({ address: '198.51.100.9' }) })
    expect((await forwarded('larder:8080', evil)).status).toBe(200)
    expect((await forwarded(evil, 'localhost')).status).toBe(421)
    app.control.attachServer({ requestIP: () => ({ address: '127.0.0.1' }) })
  })
})

describe.each(['true', 'false'])('from a foreign page, with authentication %s', (isOn) => {
  const panel = 'https://panel.example'
  let app: TestApp
  let host = ''
  let cookie = ''
  let token = ''
  beforeAll(async () => {
    const Security__AllowedOrigins = `*, ${panel}`
    const environment = { Security__EnableAuthentication: isOn, Security__AllowedOrigins }
    app = await testApp({ environment })
    if (isOn === 'true') {
      const owner = await signInOwner(app)
      token = await owner.token()
      cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    }
    host = app.listen()
  })

  /** With everything that a browser adds by itself or a page could know. */
  const send = (headers: Record<string, string>) => {
    const known = { Cookie: cookie, 'X-Antiforgery-Token': token }
    return fetch(`http://${host}${write}`, { method: 'POST', headers: { ...known, ...headers } })
  }
  const open = (headers: Record<string, string>) =>
    new Promise<boolean>((resolve) => {
      const all = { Cookie: cookie, ...headers }
      const socket = new WebSocket(`ws://${host}/hubs/downloads`, { headers: all })
      socket.addEventListener('error', () => resolve(false))
      socket.addEventListener('open', () => {
        socket.close()
        resolve(true)
      })
    })

  const foreign: [string, () => Record<string, string>][] = [
    ['another origin', () => ({ Origin: `http://${evil}` })],
    ['a sandboxed page', () => ({ Origin: 'null' })],
    ['another port of this host', () => ({ Origin: `http://${host}1` })],
    ['cross-site', () => ({ 'Sec-Fetch-Site': 'cross-site' })],
    ['same-site', () => ({ Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-site' })],
    ['its own name bound to our address', () => ({ Host: evil, Origin: `http://${evil}` })],
  ]
  test.each(foreign)('%s: no write, no socket', async (_, headers) => {
    const answer = await send(headers())
    const body = await answer.text()
    expect([403, 421]).toContain(answer.status)
    expect(body).toMatch(/Security__Allowed(?:Origins|Hosts)/)
    expect(await open(headers())).toBe(false)
  })

  const own: [string, () => Record<string, string>][] = [
    ['a program', () => ({})],
    ['our page', () => ({ Origin: `http://${host}` })],
    ['our page on an address that browsers trust', () => ({ 'Sec-Fetch-Site': 'same-origin' })],
    ['an address that was typed in', () => ({ 'Sec-Fetch-Site': 'none' })],
    ['a listed origin', () => ({ Origin: panel, 'Sec-Fetch-Site': 'cross-site' })],
    [
      'our page behind a proxy that names another Host',
      () => ({ Origin: 'https://games.example.org', 'Sec-Fetch-Site': 'same-origin' }),
    ],
    [
      'our page behind a trusted proxy that says what it was asked for',
      () => ({ Origin: 'https://games.lan', 'X-Forwarded-Host': 'games.lan:443' }),
    ],
  ]
  test.each(own)('accepts %s', async (_, headers) => {
    expect((await send(headers())).status).toBe(200)
    expect(await open(headers())).toBe(true)
  })

  test('accepts links from other sites to the dashboard', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }
    expect((await fetch(`http://${host}/`, { headers })).status).toBe(200)
  })

  test('restricts connections of our pages to this host', async () => {
    const policy = (await fetch(`http://${host}/`)).headers.get('Content-Security-Policy') ?? ''
    expect(policy.split('; ')).toContain("connect-src 'self'")
    expect(policy).not.toContain('ws:')
  })
})

test('the container’s health probe passes on a real connection, foreign names fail', async () => {
  const app = await testApp()
  const [hostname = '', port = ''] = app.listen().split(':')
  const ask = (head: string) =>
    new Promise<string>((resolve, reject) => {
      let text = ''
      const socket = connect(Number(port), hostname, () => socket.write(`${head}\r\n\r\n`))
      socket.on('data', (chunk) => (text += String(chunk)))
      socket.on('close', () => resolve(text.split('\r\n', 1)[0] ?? ''))
      socket.on('error', reject)
    })
  const foreign = `Host: ${evil}\r\nConnection: close`
  // The same request as the image's health check.
  expect(await ask('GET /health HTTP/1.0\r\nHost: localhost')).toContain('200')
  expect(await ask('GET /health HTTP/1.0')).toContain('421')
  for (const path of ['/', '/health', '/anything', '/api/version']) {
    expect(await ask(`GET ${path} HTTP/1.1\r\n${foreign}`)).toContain('421')
  }
  await app.stop()
})

test.each(['https://games.example.org', 'games.example.org:443', '*', 'a..b', 'a b'])(
  '%p in Security__AllowedHosts stops the start',
  (value) => {
    expect(() => readConfig({ Security__AllowedHosts: value })).toThrow('Security__AllowedHosts')
  },
)
