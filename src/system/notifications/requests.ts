import type { Message } from './message.ts'
import type { Target } from './targets.ts'

/** One POST of JSON. */
export interface Post {
  url: string
  headers: Record<string, string>
  body: Record<string, unknown>
}

/** Priorities: ntfy counts 1 to 5, Gotify 0 to 10. */
const priorities = { ntfy: { usual: 3, problem: 4 }, gotify: { usual: 4, problem: 7 } } as const

const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` }

const wholeText = ({ title, text }: Message) => (text === '' ? title : `${title}\n${text}`)

/** ntfy takes JSON at the server's root, with the topic in it: a title may then be any text. */
function ntfyPost({ secrets }: Target, message: Message): Post {
  const url = new URL(secrets.url ?? '')
  const path = url.pathname.split('/').filter((part) => part !== '')
  const topic = path.pop() ?? ''
  const { usual, problem } = priorities.ntfy
  return {
    url: `${url.origin}/${path.join('/')}`,
    headers: bearer(secrets.token),
    body: {
      topic,
      title: message.title,
      message: message.text === '' ? message.title : message.text,
      priority: message.isProblem ? problem : usual,
    },
  }
}

function gotifyPost({ secrets }: Target, message: Message): Post {
  const { usual, problem } = priorities.gotify
  const { origin, pathname } = new URL(secrets.url ?? '')
  return {
    url: `${origin}${pathname.replace(/\/+$/, '')}/message`,
    headers: { 'x-gotify-key': secrets.token ?? '' },
    body: {
      title: message.title,
      message: message.text === '' ? message.title : message.text,
      priority: message.isProblem ? problem : usual,
    },
  }
}

/** The request that delivers a message; mail is sent otherwise. */
export function postOf(
  target: Target,
  message: Message,
  { telegramBaseUrl }: { telegramBaseUrl: string },
): Post {
  const { kind, options, secrets } = target
  const url = secrets.url ?? ''
  if (kind === 'ntfy') return ntfyPost(target, message)
  if (kind === 'gotify') return gotifyPost(target, message)
  if (kind === 'discord') {
    // A game may be called @everyone: names must not call people.
    const body = { content: wholeText(message), allowed_mentions: { parse: [] } }
    return { url, headers: {}, body }
  }
  if (kind === 'telegram') {
    return {
      url: `${telegramBaseUrl}/bot${secrets.token ?? ''}/sendMessage`,
      headers: {},
      body: {
        chat_id: options.chatId,
        text: wholeText(message),
        link_preview_options: { is_disabled: true },
      },
    }
  }
  const { kind: notice, isProblem, title, text, raisedAt } = message
  const raisedAtUtc = raisedAt.toISOString()
  return {
    url,
    headers: {},
    body: { source: 'larder', kind: notice, isProblem, title, text, raisedAtUtc },
  }
}
