import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { notificationServer } from '../../../test/support/notification-server.ts'
import { reportApp } from '../../../test/support/report-app.ts'
import { testServer } from '../../../test/support/test-server.ts'
import type { Notifications, TargetView } from './model.ts'

const path = '/api/ext/notifications'
const server = notificationServer()

const app = await reportApp({ environment: { Notifications__TelegramBaseUrl: server.url } })

const post = (body: object) => app.send('POST', `${path}/targets`, 'admin', body)
async function created(body: object): Promise<TargetView> {
  const answer = await post(body)
  expect([answer.status, answer.headers.get('Location') !== null]).toEqual([201, true])
  return JSON.parse(await answer.text())
}
async function tested({ id }: TargetView): Promise<unknown> {
  return (await app.send('POST', `${path}/targets/${id}/test`, 'admin')).json()
}

describe('a test message', () => {
  const title = 'Test of notifications'
  const text = 'Larder can reach the target “one”.'
  const token = 'tk_secret_word'
  test.each([
    [
      'webhook',
      { url: `${server.url}/hook/secret_word?a=1` },
      '/hook/secret_word',
      { headers: {}, body: { source: 'larder', kind: 'test', isProblem: false, title, text } },
    ],
    [
      'ntfy',
      { url: `${server.url}/secret_word`, token },
      '/',
      {
        headers: { authorization: `Bearer ${token}` },
        body: { topic: 'secret_word', title, message: text, priority: 3 },
      },
    ],
    [
      'gotify',
      { url: `${server.url}/gotify/?from=browser#top`, token },
      '/gotify/message',
      { headers: { 'x-gotify-key': token }, body: { title, message: text, priority: 4 } },
    ],
    [
      'discord',
      { url: `${server.url}/api/webhooks/1/secret_word` },
      '/api/webhooks/1/secret_word',
      { headers: {}, body: { content: `${title}\n${text}`, allowed_mentions: { parse: [] } } },
    ],
    [
      'telegram',
      { token, chatId: '-100' },
      `/bot${token}/sendMessage`,
      { headers: {}, body: { chat_id: '-100', text: `${title}\n${text}` } },
    ],
  ])('to %s', async (kind, own, expectedPath, wanted) => {
    const target = await created({ name: 'one', kind, ...own })
    expect(await tested(target)).toEqual({ isDelivered: true, error: null })
    const last = server.received.at(-1)
    expect(last?.path).toBe(expectedPath)
    expect(last?.headers.get('content-type')).toBe('application/json')
    expect(Object.fromEntries(last?.headers ?? new Headers())).toMatchObject(wanted.headers)
    expect(last?.body).toMatchObject(wanted.body)
    const address = kind === 'telegram' ? 'chat -100' : server.url
    expect(target).toMatchObject({ kind, address, waiting: 0, lastError: null })
  })

  test('that is refused or not answered says so without the address', async () => {
    server.setMood('refuses')
    const host = new URL(server.url).host
    const target = await created({ name: 'no', kind: 'webhook', url: `${server.url}/secret_word` })
    const error = `${host} answered with status 500`
    expect(await tested(target)).toEqual({ isDelivered: false, error })
    server.setMood('answers')
    const away = await created({
      name: 'off',
      kind: 'webhook',
      url: 'http://127.0.0.1:1/secret_word',
    })
    expect(await tested(away)).toEqual({
      isDelivered: false,
      error: '127.0.0.1:1 cannot be reached',
    })
    const all: Notifications = await app.read(path, 'admin')
    expect(all.targets.find(({ id }) => id === target.id)).toMatchObject({ lastError: error })
  })

  test('follows no redirect', async () => {
    const redirecting = testServer(() => Response.redirect(`${server.url}/elsewhere`, 307))
    const url = `${redirecting.url}/x`
    const before = server.received.length
    const target = await created({ name: 'redirect', kind: 'webhook', url })
    const { host } = new URL(url)
    const error = `${host} redirects to another address, which is not followed`
    expect(await tested(target)).toEqual({ isDelivered: false, error })
    expect(server.received.length).toBe(before)
  })
})

test('secrets are sealed on disk and in no answer or log line', async () => {
  const shown = JSON.stringify(await app.read(path, 'admin'))
  const stored = ['state.sqlite', 'state.sqlite-wal'].map((name) =>
    readFileSync(join(app.root, 'data', name), 'latin1'),
  )
  for (const text of [shown, ...stored, app.deps.logLines.join('')]) {
    expect(text).not.toContain('secret_word')
  }
  expect(shown).toContain('"secrets":["url","token"]')
})

describe('a target', () => {
  test.each([
    ['of no web address', { kind: 'webhook', url: 'file:///etc/passwd' }],
    ['with a user name in its address', { kind: 'webhook', url: 'http://user:word@host/x' }],
    ['on a link-local address', { kind: 'webhook', url: 'http://169.254.169.254/latest' }],
    ['on a link-local address of IPv6', { kind: 'discord', url: 'http://[fe80::1]/x' }],
    [
      'on a link-local address behind NAT64',
      { kind: 'webhook', url: 'http://[64:ff9b::a9fe:a9fe]/' },
    ],
    ['with a line break in its token', { kind: 'ntfy', url: 'http://h/t', token: 'a\r\nb' }],
    ['with a slash in its token', { kind: 'telegram', token: '1/../2', chatId: '1' }],
    ['without its address', { kind: 'webhook' }],
    ['without a topic', { kind: 'ntfy', url: 'https://ntfy.sh/' }],
    ['without its token', { kind: 'gotify', url: 'http://gotify.lan' }],
    ['without a chat', { kind: 'telegram', token: 'x' }],
    [
      'of mail without a recipient',
      { kind: 'smtp', host: 'h', port: 25, security: 'none', from: 'a@b' },
    ],
    ['of an unknown kind', { kind: 'pigeon', url: 'http://host' }],
  ])('%s is refused', async (_, body) => {
    const answer = await post({ name: 'x', ...body })
    expect(answer.status).toBe(400)
    expect(await answer.text()).not.toContain('word')
  })

  test('keeps its secrets when they are left out, and loses them to another server', async () => {
    const body = { name: 'keeps', kind: 'gotify', url: server.url, token: 'one' }
    const { id } = await created(body)
    const put = (change: object) =>
      app.send('PUT', `${path}/targets/${id}`, 'admin', {
        name: 'keeps',
        kind: 'gotify',
        ...change,
      })
    expect((await put({ onlyProblems: true })).status).toBe(200)
    await app.send('POST', `${path}/targets/${id}/test`, 'admin')
    expect(server.received.at(-1)?.headers.get('x-gotify-key')).toBe('one')
    const moved = await put({ url: 'http://elsewhere.lan' })
    expect([moved.status, await moved.json()]).toEqual([400, { error: 'token is missing' }])
    expect((await put({ url: `${server.url}/sub` })).status).toBe(200)
  })

  test('of mail needs its password again before it is sent without encryption', async () => {
    const mail = { name: 'm', kind: 'smtp', host: 'h', port: 25, user: 'u', from: 'a@b', to: 'c@d' }
    const { id } = await created({ ...mail, security: 'tls', password: 'p' })
    const put = (change: object) =>
      app.send('PUT', `${path}/targets/${id}`, 'admin', { ...mail, ...change })
    expect((await put({ security: 'starttls' })).status).toBe(200)
    expect((await put({ security: 'none' })).status).toBe(400)
    expect((await put({ security: 'none', password: 'p' })).status).toBe(200)
  })

  test('is disabled without changing what another tab has saved', async () => {
    const { id } = await created({ name: 'old', kind: 'webhook', url: server.url })
    const one = `${path}/targets/${id}`
    await app.send('PUT', one, 'admin', { name: 'new', kind: 'webhook', onlyProblems: true })
    const answer = await app.send('PATCH', one, 'admin', { isEnabled: false })
    expect(await answer.json()).toMatchObject({
      name: 'new',
      isEnabled: false,
      onlyProblems: true,
      secrets: ['url'],
    })
  })

  test('is deleted with its secrets; then it is unknown', async () => {
    const { id } = await created({ name: 'goes', kind: 'webhook', url: server.url })
    expect((await app.send('DELETE', `${path}/targets/${id}`, 'admin')).status).toBe(200)
    expect(app.deps.credentials.read(`notifications.${id}`).state).toBe('none')
    for (const [method, tail] of [
      ['PUT', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/test'],
    ] as const) {
      const bodies = { PUT: { name: 'x', kind: 'webhook' }, PATCH: { isEnabled: true } }
      const sent = method === 'PUT' || method === 'PATCH' ? bodies[method] : undefined
      const answer = await app.send(method, `${path}/targets/${id}${tail}`, 'admin', sent)
      expect(answer.status).toBe(404)
    }
  })

  test('is one of at most 20', async () => {
    const body = { name: 'many', kind: 'webhook', url: server.url }
    let status = 201
    for (let n = 0; n < 21 && status === 201; n++) status = (await post(body)).status
    expect(status).toBe(409)
    expect((await app.read(path, 'admin')).targets).toHaveLength(20)
  })
})
