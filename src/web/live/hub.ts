import { Heartbeat } from './heartbeat.ts'
import { reconnectDelayMs } from './reconnect.ts'

export type Connection = 'connecting' | 'live' | 'reconnecting' | 'offline'

export interface HubHandlers {
  frame: (event: string, data: unknown) => void
  /** Anything that is no event, such as the answer to a call. */
  other?: (message: unknown) => void
  state: (connection: Connection) => void
  /** How long an open socket has been silent, milliseconds; 0 while that is no concern. */
  silent: (silentMs: number) => void
  /** The service has greeted; after a break everything read from the server may be old. */
  opened: (isAgain: boolean, send: (message: object) => void) => void
  /** The socket's session has ended, with the server's reason. */
  ended: (reason: string) => void
  /** Several attempts failed: the session may have ended. */
  refused: () => void
}

/** Close code for the end of a session. */
const sessionOver = 4001
/** How often an open socket is checked for silence. */
const checkEveryMs = 1000
/** From this failed attempt on the state is offline and the session is checked each time. */
const offlineAfter = 3

function parse(text: unknown): unknown {
  if (typeof text !== 'string') return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function readFrame(frame: unknown): { event: string; data: unknown } | null {
  if (typeof frame !== 'object' || frame === null || !('event' in frame)) return null
  if (typeof frame.event !== 'string') return null
  return { event: frame.event, data: 'data' in frame ? frame.data : null }
}

/** Keeps a socket to the hub open until the returned function is called. */
export function openHub(url: string, handlers: HubHandlers): () => void {
  let socket: WebSocket | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let heartbeat: Heartbeat | null = null
  let isWelcome = false
  /** Since the service last greeted. The first one is made at once, others are scheduled. */
  let attempt = 1
  let hasBeenOpen = false
  let isStopped = false

  // The service greets each socket; a proxy may open one that leads nowhere.
  const welcome = () => {
    isWelcome = true
    attempt = 0
    handlers.silent(0)
    handlers.state('live')
    handlers.opened(hasBeenOpen, (message) => socket?.send(JSON.stringify(message)))
    hasBeenOpen = true
  }

  const connect = () => {
    timer = undefined
    socket = new WebSocket(url)
    isWelcome = false
    socket.addEventListener('open', () => {
      heartbeat = new Heartbeat(Date.now(), () => socket?.send('{"type":"ping"}'))
    })
    socket.addEventListener('message', ({ data }) => {
      heartbeat?.heard(Date.now())
      if (!isWelcome) welcome()
      const message = parse(data)
      const frame = readFrame(message)
      if (frame !== null) handlers.frame(frame.event, frame.data)
      else if (message !== null) handlers.other?.(message)
    })
    socket.addEventListener('close', ({ code, reason }) => {
      socket = null
      heartbeat = null
      if (isStopped) return
      if (code === sessionOver) {
        handlers.ended(reason)
        // Not at once: the next attempt would be refused before the session is known.
        attempt = Math.max(attempt, 1)
      }
      handlers.state(attempt >= offlineAfter ? 'offline' : 'reconnecting')
      if (attempt === 1 || attempt >= offlineAfter) handlers.refused()
      schedule()
    })
  }

  const schedule = () => {
    // Hidden tabs do not reconnect until they become visible.
    if (document.hidden || timer !== undefined) return
    timer = setTimeout(connect, reconnectDelayMs(attempt, Math.random()))
    attempt += 1
  }

  const wake = () => {
    if (document.hidden) {
      clearTimeout(timer)
      timer = undefined
    } else if (socket === null) {
      clearTimeout(timer)
      timer = undefined
      attempt = 0
      schedule()
    }
  }

  document.addEventListener('visibilitychange', wake)
  globalThis.addEventListener('online', wake)
  const beat = setInterval(() => {
    if (heartbeat === null) return
    const silentMs = heartbeat.check(Date.now())
    if (isWelcome) handlers.silent(silentMs)
    else if (silentMs > 0) socket?.close()
  }, checkEveryMs)
  handlers.state('connecting')
  connect()
  return () => {
    isStopped = true
    clearTimeout(timer)
    clearInterval(beat)
    document.removeEventListener('visibilitychange', wake)
    globalThis.removeEventListener('online', wake)
    socket?.close()
  }
}
