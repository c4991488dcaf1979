import { Refusal } from '../../../api/refusal.ts'
import { openHub, type Connection } from '../../../live/hub.ts'
import type { PlatformCall, PlatformCalls } from '../wire.ts'

/**
 * An answer that does not come within this time is given up, milliseconds: a new session may first
 * pull an image.
 */
const answerMs = 20 * 60_000
/** Calls that wait for an answer. */
const waitingMax = 32

interface Waiting {
  resolve: (result: unknown) => void
  reject: (error: Error) => void
  timer: ReturnType<typeof setTimeout>
}

export interface HubListeners {
  event: (name: string, data: unknown) => void
  /** The socket is open: everything may have changed. */
  opened: () => void
  state: (connection: Connection) => void
}

export interface HubClient {
  /** Calls a method of the hub. Rejects with its refusal, or when the connection breaks. */
  call: <M extends PlatformCall>(
    method: M,
    ...args: Parameters<PlatformCalls[M]>
  ) => Promise<ReturnType<PlatformCalls[M]>>
  stop: () => void
}

interface Reply {
  id: string
  result?: unknown
  error?: { message: string; stageKey?: string; context?: object }
}

const isReply = (message: unknown): message is Reply =>
  typeof message === 'object' && message !== null && 'id' in message

/** Keeps a connection to the hub of a platform. */
export function openPlatformHub(path: string, listeners: HubListeners): HubClient {
  const waiting = new Map<string, Waiting>()
  let send: ((message: object) => void) | null = null
  let last = 0

  const settle = (id: string, use: (one: Waiting) => void) => {
    const one = waiting.get(id)
    if (one === undefined) return
    waiting.delete(id)
    clearTimeout(one.timer)
    use(one)
  }
  const lost = () => {
    send = null
    for (const id of waiting.keys()) {
      settle(id, ({ reject }) => reject(new Error('The connection was interrupted')))
    }
  }
  const url = new URL(path, location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  const close = openHub(url.href, {
    frame: listeners.event,
    other: (message) => {
      if (!isReply(message)) return
      settle(message.id, ({ resolve, reject }) => {
        if (message.error === undefined) resolve(message.result)
        else reject(new Refusal(409, message.error))
      })
    },
    opened: (_isAgain, sendTo) => {
      send = sendTo
      listeners.opened()
    },
    state: (connection) => {
      if (connection !== 'live') lost()
      listeners.state(connection)
    },
    silent: () => {},
    ended: () => {},
    refused: () => {},
  })

  return {
    call: <M extends PlatformCall>(method: M, ...args: Parameters<PlatformCalls[M]>) => {
      if (send === null || waiting.size >= waitingMax) {
        return Promise.reject(new Error('There is no connection to the service'))
      }
      const id = String(++last)
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const late = () => settle(id, (one) => one.reject(new Error('No answer in time')))
      waiting.set(id, { resolve, reject, timer: setTimeout(late, answerMs) })
      send({ id, method, args })
      // Answers come from our own service, which is held to the same contract.
      return promise as Promise<ReturnType<PlatformCalls[M]>>
    },
    stop: () => {
      close()
      lost()
    },
  }
}
