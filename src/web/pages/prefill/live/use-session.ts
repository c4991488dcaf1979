import { useCallback, useEffect, useRef, useState } from 'react'
import { type Connection, openHub } from '../../../live/hub.ts'
import { platformFacts, type Platform } from '../../../../platforms/platforms.ts'
import type {
  CredentialChallenge,
  DaemonSession,
  HubEvent,
  PlatformCall,
  PlatformCalls,
} from '../wire.ts'
import {
  afterEvent,
  noSession,
  shown,
  withAnswer,
  withChallenge,
  type SessionView,
} from './session-state.ts'
import { Refusal } from '../../../api/refusal.ts'
import { t } from '../../../locales/translate.ts'

/** Sent once for a challenge that is answered on the phone; the daemon waits for it. */
const confirmation = 'confirm'
const deviceConfirmation = 'device-confirmation'

/** What happened while the page was away: the last progress and the last end of a run. */
async function readRun(client: HubClient, id: string) {
  const [progress, last] = await Promise.all([
    client.call('GetCurrentPrefillProgress', id),
    client.call('GetLastPrefillResult', id),
  ])
  return { progress, last }
}

function withRun(view: SessionView, run: Awaited<ReturnType<typeof readRun>>): SessionView {
  const { progress, last } = run
  if (view.session?.isPrefilling === true) return { ...view, progress, outcome: null }
  if (last === null || view.outcome !== null) return view
  const outcome = { state: last.status, seconds: last.durationSeconds, text: last.errorMessage }
  return { ...view, outcome }
}

/** The caller's session of a platform, kept up to date, and what can be done with it. */
export function usePrefillSession(platform: Platform) {
  const [view, setView] = useState<SessionView>(noSession)
  const [isKnown, setIsKnown] = useState(false)
  const [connection, setConnection] = useState<Connection>('connecting')
  const client = useRef<HubClient | null>(null)
  const confirmed = useRef('')

  const follow = useCallback(async (session: DaemonSession) => {
    const hub = client.current
    if (hub === null) return
    setView((before) => shown(before, session))
    await hub.call('SubscribeToSessionAsync', session.id)
    const run = await readRun(hub, session.id)
    setView((before) => withRun(before, run))
    if (session.authState === 'Authenticated' || session.authState === 'NotAuthenticated') return
    const challenge = await hub.call('WaitForChallengeAsync', session.id, 1)
    if (challenge !== null) setView((before) => withChallenge(before, challenge))
  }, [])

  useEffect(() => {
    const { hubPath, eventPrefix: prefix } = platformFacts[platform]
    const find = async (own: HubClient) => {
      const sessions = await own.call('GetMySessions')
      const found = sessions.find(
        ({ status, isPersistent }) => status !== 'Terminated' && !isPersistent,
      )
      if (found === undefined) setView((before) => shown(before, null))
      else await follow(found)
      setIsKnown(true)
    }
    const own: HubClient = openPlatformHub(hubPath, {
      event: (name, data) => {
        const plain = name.startsWith(prefix) ? name.slice(prefix.length) : name
        // Frames come from our own service: names and payloads are those of the catalogue.
        const frame = { event: plain, data } as HubEvent
        setView((before) => (data === null ? before : afterEvent(before, frame)))
      },
      opened: () => void find(own).catch(() => {}),
      state: setConnection,
    })
    client.current = own
    return () => {
      client.current = null
      own.stop()
      setView(noSession)
      setIsKnown(false)
    }
  }, [platform, follow])

  const call: HubClient['call'] = useCallback((method, ...args) => {
    const hub = client.current
    return hub === null
      ? Promise.reject(new Error(t('prefill.noConnection')))
      : hub.call(method, ...args)
  }, [])

  const { challenge, session } = view
  const id = session?.id ?? ''
  useEffect(() => {
    const isPhone = challenge?.credentialType === deviceConfirmation
    if (!isPhone || confirmed.current === challenge.challengeId) return
    confirmed.current = challenge.challengeId
    // A refusal ends the sign-in, which the page shows.
    call('ProvideCredentialAsync', id, challenge, confirmation).catch(() => {})
  }, [challenge, id, call])

  const login = async () => {
    setView((before) => ({ ...before, answered: null, loginProblem: null }))
    const first = await call('StartLoginAsync', id)
    if (first !== null) setView((before) => withChallenge(before, first))
  }
  const answer = async (answered: CredentialChallenge, credential: string) => {
    // Before the call: the next question may arrive before the answer to it.
    setView((before) => withAnswer(before, answered))
    try {
      await call('ProvideCredentialAsync', id, answered, credential)
    } catch (error) {
      setView((before) => ({ ...before, challenge: before.challenge ?? answered }))
      throw error
    }
  }
  return {
    platform,
    view,
    /** Whether it is known that there is a session, or none. */
    isKnown,
    connection,
    create: async () => follow(await call('CreateSessionAsync')),
    login,
    answer,
    cancelLogin: () => call('CancelLoginAsync', id),
    cancelRun: () => call('CancelPrefillAsync', id),
    clearCache: () => call('ClearCacheAsync', id),
    end: () => call('EndSessionAsync', id),
    selectedStatus: (systems: readonly string[] | null, cache: string | null) =>
      call('GetSelectedAppsStatusAsync', id, systems, cache),
  }
}

export type PrefillSession = ReturnType<typeof usePrefillSession>

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

interface HubListeners {
  event: (name: string, data: unknown) => void
  /** The socket is open: everything may have changed. */
  opened: () => void
  state: (connection: Connection) => void
}

interface HubClient {
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
function openPlatformHub(path: string, listeners: HubListeners): HubClient {
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
      settle(id, ({ reject }) => reject(new Error(t('prefill.noConnection'))))
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
        return Promise.reject(new Error(t('prefill.noConnection')))
      }
      const id = String(++last)
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const late = () => settle(id, (one) => one.reject(new Error(t('trouble.unreachable'))))
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
