import type AlphaUser from 'steam-user'
import { OutsideError, type Outside } from '../../core/lib/outside.ts'
import { pause } from '../../core/lib/pause.ts'
import type { AlphaAccess, SessionFault } from './contract.ts'

/** For the directory, the connection and the log-on together. */
const connectMs = 60_000
const connectAttempts = 3
const connectPauseMs = 2000
const requestAttempts = 3
/** How long the log-off message may take. */
const logOffMs = 1000
const directoryMs = 15_000

/** Steam could not be reached, or refused the log-on. Contains no secret. */
export class AlphaUnreachable extends Error {
  readonly fault: SessionFault

  constructor(message: string, options: ErrorOptions & Partial<SessionFault> = {}) {
    super(message, options)
    const { result = null, isRefused = false } = options
    this.fault = { result, isRefused }
  }
}

export const faultOf = (error: unknown): SessionFault | null =>
  error instanceof AlphaUnreachable ? error.fault : null

/** Results with which Steam refuses a sign-in for good. */
const refusals: ReadonlySet<string> = new Set([
  'AccessDenied',
  'AccountDisabled',
  'AccountNotFound',
  'Banned',
  'Expired',
  'InvalidPassword',
  'Revoked',
])

export interface ConnectionState {
  isConnected: boolean
  isReconnecting: boolean
  reconnectAttempt: number
}

/** The connection of Steam's own client. The first request connects; call one at a time. */
export interface AlphaConnection {
  /** Sends a request again over a new connection when the old one was lost. */
  ask<T>(limitMs: number, request: (user: AlphaUser) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface ConnectionParts {
  access: AlphaAccess
  outside: Outside
  signal: AbortSignal
  changed: (state: ConnectionState) => void
  /** Between two attempts. */
  pauseMs?: number
}

type Library = typeof AlphaUser

declare const self: Worker

let loaded: Promise<Library> | null = null

/**
 * Loads the library with the first connection: it takes seconds and 40 MB. One of its parts takes
 * the messages of every worker that loads it; they are given back to the engine.
 */
async function load(): Promise<Library> {
  const { onmessage } = self
  const { default: library } = await import('steam-user')
  self.onmessage = onmessage
  return library
}

export const library = (): Promise<Library> => (loaded ??= load())

/** The library's client without its calls to Steam's websites, which ignore the settings. */
function clientOf(Client: Library, servers: AlphaUser.CmServer[]): AlphaUser {
  const Bound = class extends Client {
    override _apiRequest(_method: string, _iface: string, name: string) {
      if (name !== 'GetCMListForConnect') return Promise.reject(new Error('not used'))
      return Promise.resolve({ response: { serverlist: servers } })
    }
    /** The library goes on in silence when a connection fails before the log-on. */
    override _handleConnectionClose(connection: unknown) {
      const isLoggedOn = this.steamID !== null
      super._handleConnectionClose(connection)
      if (!isLoggedOn) this.emit('error', new Error('the connection failed'))
    }
    /** Cookies for websites are not needed. */
    override webLogOn() {}
  }
  return new Bound({
    dataDirectory: null,
    autoRelogin: false,
    protocol: Client.EConnectionProtocol.WebSocket,
    enablePicsCache: false,
  })
}

/** Steam's servers by its directory. */
async function directory({ access, outside, signal }: ConnectionParts) {
  const url = `${access.cmListBaseUrl}/ISteamDirectory/GetCMListForConnect/v1/`
  const query = '?cellid=0&cmtype=websockets&format=json'
  const request = { url: url + query, signal, timeoutMs: directoryMs }
  const unreachable = (cause: unknown) => {
    if (cause instanceof OutsideError) throw new AlphaUnreachable(cause.message, { cause })
    throw cause
  }
  const servers = outside.get(request, async (response) => {
    const body = (await response.json()) as { response?: { serverlist?: unknown } }
    const list = body.response?.serverlist
    const servers = (Array.isArray(list) ? list : []) as AlphaUser.CmServer[]
    // The library fails without a reason when none of a list is like these.
    return servers.filter(
      ({ endpoint, type, realm }) =>
        endpoint !== '' && type === 'websockets' && realm === 'steamglobal',
    )
  })
  return servers.catch(unreachable)
}

class Connection implements AlphaConnection {
  readonly #parts: ConnectionParts
  readonly #state: ConnectionState = {
    isConnected: false,
    isReconnecting: false,
    reconnectAttempt: 0,
  }
  #client: AlphaUser | null = null
  #servers: AlphaUser.CmServer[] = []
  /** Servers that failed during this session. */
  readonly #failed = new Set<string>()

  constructor(parts: ConnectionParts) {
    this.#parts = parts
  }

  async ask<T>(limitMs: number, ask: (user: AlphaUser) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const user = this.#client ?? (await this.#connect())
      try {
        const answer = await this.#guarded(user, limitMs, ask(user))
        // Only one request is under way, and the library would keep its answer for minutes.
        user._jobs.clear()
        return answer
      } catch (error) {
        this.#drop()
        if (attempt >= requestAttempts || this.#parts.signal.aborted) throw error
        this.#report({ isReconnecting: true, reconnectAttempt: attempt })
      }
    }
  }

  async close(): Promise<void> {
    const user = this.#client
    this.#client = null
    if (user === null) return
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    user.once('disconnected', () => resolve())
    const timer = setTimeout(resolve, logOffMs)
    user.logOff()
    await gone
    clearTimeout(timer)
    user._disconnect(true)
    this.#report({ isConnected: false })
  }

  #report(change: Partial<ConnectionState>): void {
    this.#parts.changed(Object.assign(this.#state, change))
  }

  /** Settles with the work, or fails after `limitMs`, on a lost connection, or on cancel. */
  async #guarded<T>(user: AlphaUser, limitMs: number, work: Promise<T>): Promise<T> {
    const { signal } = this.#parts
    const { promise: lost, reject } = Promise.withResolvers<never>()
    const onError = (error: Error) => reject(this.#failureOf(error))
    const onAbort = () => reject(new AlphaUnreachable('cancelled'))
    const timer = setTimeout(() => reject(new AlphaUnreachable('Steam does not answer')), limitMs)
    user.on('error', onError)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      if (signal.aborted) onAbort()
      return await Promise.race([work, lost])
    } finally {
      clearTimeout(timer)
      user.off('error', onError)
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** The library names an error after the result that Steam sent. */
  #failureOf(error: Error): AlphaUnreachable {
    const result = 'eresult' in error ? error.message : null
    const isRefused = this.#parts.access.account !== null && refusals.has(result ?? '')
    return new AlphaUnreachable(`Steam: ${error.message}`, { result, isRefused })
  }

  #drop(): void {
    const user = this.#client
    if (user === null) return
    const endpoint = user._lastChosenCM?.endpoint
    if (endpoint !== undefined) this.#failed.add(endpoint)
    user._disconnect(true)
    this.#client = null
    this.#report({ isConnected: false })
  }

  async #logOn(): Promise<AlphaUser> {
    const { access } = this.#parts
    if (this.#servers.length === 0) this.#servers = await directory(this.#parts)
    if (this.#servers.length === 0) throw new AlphaUnreachable('Steam names no servers')
    const others = this.#servers.filter(({ endpoint }) => !this.#failed.has(endpoint))
    if (others.length === 0) this.#failed.clear()
    const user = clientOf(await library(), others.length > 0 ? others : this.#servers)
    // Without a listener, an error of the library would end the process.
    user.on('error', () => {})
    this.#client = user
    const { promise: loggedOn, resolve } = Promise.withResolvers<void>()
    user.once('loggedOn', () => resolve())
    const { account } = access
    user.logOn(
      account === null
        ? { anonymous: true }
        : { refreshToken: account.refreshToken, logonID: account.logonId },
    )
    await this.#guarded(user, connectMs, loggedOn)
    // A connection that is lost between two requests must not get the next one.
    user.on('error', () => {
      if (this.#client === user) this.#drop()
    })
    this.#report({ isConnected: true, isReconnecting: false, reconnectAttempt: 0 })
    return user
  }

  async #connect(): Promise<AlphaUser> {
    const { signal, pauseMs = connectPauseMs } = this.#parts
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#logOn()
      } catch (error) {
        this.#drop()
        const isRefused = faultOf(error)?.isRefused === true
        // Without the directory there is nothing to try: it was asked more than once already.
        const isLast = isRefused || attempt >= connectAttempts || this.#servers.length === 0
        if (isLast || signal.aborted) throw error
        this.#report({ isReconnecting: true, reconnectAttempt: attempt })
        await pause(pauseMs, signal)
      }
    }
  }
}

export const createAlphaConnection = (parts: ConnectionParts): AlphaConnection =>
  new Connection(parts)
