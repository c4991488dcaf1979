import { testServer } from './test-server.ts'

/** What a service accepted; its tests compare this with what was sent. */
interface Delivered {
  title: string
  text: string
}

const encoder = new TextEncoder()
const refuse = (status: number, text: string) => new Response(text, { status })
const isText = (value: unknown, charsMax: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= charsMax && value.isWellFormed()
const isWhole = (value: unknown, most: number) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most

interface Call {
  path: string
  request: Request
  body: Record<string, unknown>
}

/** Answers a call that a service accepts with what arrived; all others with its refusal. */
type Service = (call: Call) => Delivered | Response

/** https://docs.ntfy.sh/publish/: JSON at the root; `private` needs the token. */
const ntfy: Service = ({ path, request, body }) => {
  const { topic, title, message, priority } = body
  if (path !== '/') return refuse(404, 'JSON is published at the root')
  if (typeof topic !== 'string' || !/^[-_A-Za-z0-9]{1,64}$/.test(topic)) {
    return refuse(400, 'invalid topic')
  }
  const authorization = request.headers.get('authorization')
  if (authorization !== null && authorization !== 'Bearer tk_right') return refuse(401, 'token')
  if (topic === 'private' && authorization === null) return refuse(403, 'forbidden')
  if (!isWhole(priority, 5) || priority === 0) return refuse(400, 'invalid priority')
  if (!isText(message, 4096) || encoder.encode(message).length > 4096) {
    return refuse(413, 'message would become an attachment')
  }
  return { title: String(title), text: message }
}

/** https://gotify.net/api-docs: `message` is required, the token is that of an application. */
const gotify: Service = ({ path, request, body }) => {
  if (path !== '/gotify/message') return refuse(404, 'page not found')
  if (request.headers.get('x-gotify-key') !== 'A.right') return refuse(401, 'token')
  const { title, message, priority } = body
  if (!isText(message, Infinity) || !isWhole(priority, 10)) return refuse(400, 'invalid message')
  return { title: String(title), text: message }
}

/** https://docs.discord.com/developers/resources/webhook: up to 2000 characters. */
const discord: Service = ({ path, body }) => {
  if (path !== '/api/webhooks/12/to-ken_1') return refuse(404, 'unknown webhook')
  const { content, allowed_mentions: mentions } = body
  if (!isText(content, 2000)) return refuse(400, 'content: must be 2000 or fewer in length')
  if (!Bun.deepEquals(mentions, { parse: [] })) return refuse(400, 'names would call people')
  const [title = '', ...lines] = content.split('\n')
  return { title, text: lines.join('\n') }
}

/** https://core.telegram.org/bots/api#sendmessage: 1 to 4096 characters. */
const telegram: Service = ({ path, body }) => {
  if (path !== '/bot12:right-token/sendMessage') return refuse(404, 'not found')
  const { chat_id: chat, text } = body
  if (!/^(-?\d+|@\w{4,32})$/.test(String(chat))) return refuse(400, 'chat not found')
  if (!isText(text, 4096)) return refuse(400, 'message is too long')
  const [title = '', ...lines] = text.split('\n')
  return { title, text: lines.join('\n') }
}

const services = { ntfy, gotify, discord, telegram }
export type ServiceName = keyof typeof services

/** A server that accepts and refuses messages as the documentation of a service says. */
export function notificationService(name: ServiceName) {
  const delivered: Delivered[] = []
  const { url } = testServer(async (request) => {
    if (request.method !== 'POST') return refuse(405, 'method not allowed')
    if (request.headers.get('content-type') !== 'application/json') return refuse(415, 'no JSON')
    const { pathname: path } = new URL(request.url)
    const body: Record<string, unknown> = JSON.parse(await request.text())
    const outcome = services[name]({ path, request, body })
    if (outcome instanceof Response) return outcome
    delivered.push(outcome)
    return name === 'discord' ? new Response(null, { status: 204 }) : Response.json({ ok: true })
  })
  return { url, delivered }
}
