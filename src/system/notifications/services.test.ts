import { describe, expect, test } from 'bun:test'
import {
  notificationService,
  type ServiceName,
} from '../../../test/support/notification-services.ts'
import { createOutside } from '../../core/lib/outside.ts'
import { readConfig } from '../../core/config.ts'
import { boundedMessage, type Message } from './message.ts'
import type { TargetBody } from './model.ts'
import { createSend } from './send.ts'
import { partsOf } from './targets.ts'

const names: readonly ServiceName[] = ['ntfy', 'gotify', 'discord', 'telegram']
const bodies: Record<ServiceName, (url: string) => Partial<TargetBody>> = {
  ntfy: (url) => ({ url: `${url}/public-topic_1` }),
  gotify: (url) => ({ url: `${url}/gotify/`, token: 'A.right' }),
  discord: (url) => ({ url: `${url}/api/webhooks/12/to-ken_1` }),
  telegram: () => ({ token: '12:right-token', chatId: '@larder_news' }),
}

async function deliver(name: ServiceName, message: Message, own: Partial<TargetBody> = {}) {
  const service = notificationService(name)
  const body = { name, kind: name, ...bodies[name](service.url), ...own }
  if (own.url !== undefined) body.url = `${service.url}${own.url}`
  const config = readConfig({ Notifications__TelegramBaseUrl: service.url })
  const send = createSend({ config, outside: createOutside({ gapMs: 0, pauseMs: 0 }) })
  const target = { id: '1', name, kind: name, ...partsOf(body, null) }
  await send(target, boundedMessage(message), new AbortController().signal)
  return service.delivered
}

const message = (title: string, text: string, isProblem = true): Message => ({
  kind: 'jobFailed',
  isProblem,
  title,
  text,
  raisedAt: new Date('2026-11-21T12:00:00Z'),
})

describe.each(names)('%s takes', (name) => {
  test('messages with and without problems', async () => {
    for (const isProblem of [true, false]) {
      const [delivered] = await deliver(name, message('A title', 'Some text', isProblem))
      expect(delivered).toEqual({ title: 'A title', text: 'Some text' })
    }
  })

  test('a message without text', async () => {
    expect(await deliver(name, message('A title', ''))).toMatchObject([{ title: 'A title' }])
  })

  test.each(['x', 'ü', '游', '🎮', '\uD83C'])(
    'long texts of %p, cut to its limit',
    async (char) => {
      for (const shift of ['', 'a']) {
        const long = `${shift}${char.repeat(5000)}`
        const [delivered] = await deliver(name, message(long, long))
        expect(delivered?.text.length).toBeGreaterThan(1200)
        expect(long.toWellFormed()).toStartWith(delivered?.text ?? '')
      }
    },
  )
})

test('ntfy: a public topic needs no token, a private one does', async () => {
  const text = message('A title', 'Some text')
  expect(await deliver('ntfy', text)).toHaveLength(1)
  expect(await deliver('ntfy', text, { url: '/private', token: 'tk_right' })).toHaveLength(1)
  for (const own of [{ url: '/private' }, { token: 'tk_wrong' }]) {
    const refused = deliver('ntfy', text, own)
    expect(refused).rejects.toThrow(/status 40[13]$/)
    await refused.catch(() => {})
  }
})

describe('a target is refused', () => {
  const mail = { host: 'mail.lan', security: 'tls', from: 'a@lan', to: 'b@lan' } as const
  test.each<[string, Omit<TargetBody, 'name'>, RegExp]>([
    ['as ntfy without a topic', { kind: 'ntfy', url: 'https://ntfy.sh/' }, /topic/],
    [
      'as Gotify with the path of messages',
      { kind: 'gotify', url: 'https://gotify.lan/message?token=A', token: 'A' },
      /without \/message/,
    ],
    [
      'as Discord with the address of a channel',
      { kind: 'discord', url: 'https://discord.com/channels/1/2' },
      /webhook/,
    ],
    [
      'as Discord with the address of its Slack form',
      { kind: 'discord', url: 'https://discord.com/api/webhooks/1/token/slack' },
      /webhook/,
    ],
    [
      'as Telegram with the link of a chat',
      { kind: 'telegram', token: '1:a', chatId: 'https://t.me/larder' },
      /chatId/,
    ],
    ['as mail from no address', { kind: 'smtp', ...mail, from: 'Larder' }, /mail address/],
    ['as mail to no address', { kind: 'smtp', ...mail, to: 'b@lan, carol' }, /carol/],
    ['as mail with a password only', { kind: 'smtp', ...mail, password: 'p' }, /user/],
  ])('%s', (_, body, reason) => {
    expect(() => partsOf({ name: 'x', ...body }, null)).toThrow(reason)
  })
})

describe('mail', () => {
  const mail = { name: 'x', kind: 'smtp', host: 'mail.lan', from: 'a@lan' } as const
  test.each([
    ['tls', 465],
    ['starttls', 587],
    ['none', 25],
  ] as const)('over %s goes to port %d unless another is given', (security, port) => {
    const body = { ...mail, security, to: '"Doe, Jane" <jane@lan>, b@lan' }
    expect(partsOf(body, null).options).toMatchObject({ port })
    expect(partsOf({ ...body, port: 2525 }, null).options).toMatchObject({ port: 2525 })
  })

  test('to another port needs its password again', () => {
    const body = { ...mail, security: 'starttls', to: 'b@lan', user: 'u' } as const
    const known = partsOf({ ...body, password: 'p' }, null)
    expect(partsOf(body, known).secrets).toEqual({ password: 'p' })
    expect(() => partsOf({ ...body, port: 2525 }, known)).toThrow(/password is missing/)
    expect(() => partsOf({ ...body, security: 'tls' }, known)).toThrow(/password is missing/)
    expect(partsOf({ ...body, user: null }, known).secrets).toEqual({})
  })
})

test('null removes an optional secret, a missing or empty one stays', () => {
  const body = { name: 'x', kind: 'ntfy', url: 'https://ntfy.sh/topic' } as const
  const known = partsOf({ ...body, token: 'tk_1' }, null)
  const { url: _url, ...rest } = body
  for (const same of [rest, { ...rest, token: '' }]) {
    expect(partsOf(same, known).secrets.token).toBe('tk_1')
  }
  expect(partsOf({ ...rest, token: null }, known).secrets).toEqual({ url: body.url })
})
