/*
 * A secret belongs to its server. Address, token and password of a target are sealed as one text.
 * Changing the server without entering them again drops them, so that they are never sent to
 * another host; the same holds for the broker of MQTT. Redirects are not followed, answers are not
 * read, and errors name host and status only.
 */
import type { notificationTarget } from '../../../db/state/schema/notifications.ts'
import { AppError } from '../../core/http/errors.ts'
import { isForbiddenAddress } from '../../core/lib/chosen-address.ts'
import type { TargetBody } from './model.ts'

type TargetRecord = typeof notificationTarget.$inferSelect
export type TargetKind = TargetRecord['kind']

/** Sealed as one text. Addresses of webhooks and topics are secrets, too: who has one can post. */
export interface TargetSecrets {
  url?: string
  token?: string
  password?: string
}

/** A target that a message can be sent to. */
export interface Target {
  id: string
  name: string
  kind: TargetKind
  options: TargetRecord['options']
  secrets: TargetSecrets
}

const secretNames = ['url', 'token', 'password'] as const
const optionNames = ['chatId', 'host', 'port', 'security', 'user', 'from', 'to'] as const

/** Members that a kind has; a `?` marks those that may be missing. */
export const membersOf: Record<TargetKind, readonly string[]> = {
  webhook: ['url'],
  ntfy: ['url', 'token?'],
  gotify: ['url', 'token'],
  discord: ['url'],
  telegram: ['token', 'chatId'],
  smtp: ['host', 'port?', 'security', 'user?', 'password?', 'from', 'to'],
}

/** Ports that mail servers use for each kind of encryption (RFC 8314, RFC 6409, RFC 5321). */
const mailPorts = { tls: 465, starttls: 587, none: 25 } as const
const usualPort = ({ security }: TargetBody) => mailPorts[security ?? 'starttls']

/** Forms that a kind's service documents. */
const formsOf: Partial<Record<TargetKind, { path: RegExp; hint: string }>> = {
  ntfy: {
    path: /^\/(?:.*\/)?[\w-]{1,64}\/?$/,
    hint: 'end it with the topic, such as https://ntfy.sh/my-topic',
  },
  gotify: {
    path: /^(?!.*\/message\/?$)/,
    hint: 'give the address of the server, without /message and the token',
  },
  discord: {
    path: /\/webhooks\/\d+\/[\w-]+\/?$/,
    hint: 'copy the URL of the webhook, such as https://discord.com/api/webhooks/1/token',
  },
}
/** A chat's number, negative for groups and channels, or the public name of one. */
const chatPattern = /^(?:-?\d{1,20}|@\w{4,32})$/
/** Commas that separate addresses, not those of a quoted name. */
const separators = /,(?=(?:[^"]*"[^"]*")*[^"]*$)/
/** One address of mail, with or without a name before it. */
const mailPattern = /^(?:[^<>@]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/

const invalid = (text: string) => new AppError('invalid', text)

/** An address that messages may be posted to. Throws `invalid` without repeating it. */
function checkedUrl(text: string, kind: TargetKind): URL {
  const url = URL.parse(text.trim())
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url === null || !isWeb || `${url.username}${url.password}` !== '') {
    throw invalid('url: give an http or https address without a user name')
  }
  // Only machines' own metadata services live there.
  if (isForbiddenAddress(url.hostname.replaceAll(/[[\]]/g, ''))) {
    throw invalid('url: link-local addresses are not allowed')
  }
  const form = formsOf[kind]
  if (form !== undefined && !form.path.test(url.pathname)) throw invalid(`url: ${form.hint}`)
  return url
}

/** What the dashboard shows of an address. */
export function shownAddress({ kind, options, secrets }: Omit<Target, 'id' | 'name'>): string {
  if (kind === 'smtp') return `${options.host}:${options.port}, ${options.to}`
  if (kind === 'telegram') return `chat ${options.chatId}`
  return secrets.url === undefined ? '' : new URL(secrets.url).origin
}

const present = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

type Parts = Pick<Target, 'options' | 'secrets'>

/** Whether a change points to another server, which must not receive the secrets of the old one. */
function isElsewhere(body: TargetBody, known: Parts): boolean {
  const { url } = known.secrets
  if (typeof body.url === 'string' && url !== undefined) {
    return URL.parse(body.url)?.origin !== new URL(url).origin
  }
  const { host, port, security } = known.options
  if (host === undefined) return false
  const isLowered = security !== 'none' && body.security === 'none'
  return body.host !== host || (body.port ?? usualPort(body)) !== port || isLowered
}

/** Throws `invalid` for what the service of a kind would refuse with every message. */
function checkOptions({ chatId, from, to }: Parts['options']): void {
  if (chatId !== undefined && !chatPattern.test(String(chatId))) {
    throw invalid('chatId: give the number of the chat, or the @name of a public one')
  }
  const addresses = [from, ...String(to ?? '').split(separators)].filter((text) => present(text))
  for (const address of addresses) {
    if (!mailPattern.test(String(address).trim())) {
      throw invalid(`“${address}” is not a mail address`)
    }
  }
}

/**
 * Options and secrets of a target. A secret that the body leaves out stays as it is, unless the
 * address changes to another server; null removes it. Throws `invalid`.
 */
export function partsOf(body: TargetBody, known: Parts | null): Parts {
  const own = membersOf[body.kind].map((name) => name.replace('?', ''))
  const kept = known === null || isElsewhere(body, known) ? {} : known.secrets
  const secrets: TargetSecrets = {}
  for (const name of secretNames) {
    const value = body[name] === null || present(body[name]) ? body[name] : kept[name]
    if (own.includes(name) && typeof value === 'string') secrets[name] = value.trim()
  }
  if (secrets.token !== undefined && !/^[\w:.=+-]+$/.test(secrets.token)) {
    throw invalid('token: it has a character that tokens do not have')
  }
  const options: Parts['options'] = {}
  for (const name of optionNames) {
    const value = body[name]
    if (own.includes(name) && value !== null && value !== undefined && value !== '') {
      options[name] = typeof value === 'string' ? value.trim() : value
    }
  }
  if (body.kind === 'smtp') options.port ??= usualPort(body)
  for (const name of membersOf[body.kind]) {
    if (!name.endsWith('?') && !(name in secrets) && !(name in options)) {
      throw invalid(`${name} is missing`)
    }
  }
  if (options.user === undefined && present(body.password)) throw invalid('user is missing')
  if (options.user === undefined) delete secrets.password
  if (options.user !== undefined && secrets.password === undefined) {
    throw invalid('password is missing; another server needs it again')
  }
  checkOptions(options)
  if (secrets.url !== undefined) secrets.url = checkedUrl(secrets.url, body.kind).href
  return { options, secrets }
}
