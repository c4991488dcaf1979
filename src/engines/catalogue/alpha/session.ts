import type AlphaUser from 'steam-user'
import { OutsideError, type Outside } from '../../../core/lib/outside.ts'
import { pause } from '../../../core/lib/pause.ts'
import type { AlphaAccess, SessionFault } from '../contract.ts'
import { appFacts } from './product-info.ts'
import type { AppFacts } from '../store.ts'

/** For the directory, the connection and the log-on together. */
const connectMs = 60_000
const connectAttempts = 3
const connectPauseMs = 2000
/** Product information comes in many messages; other requests are answered with one. */
const productInfoMs = 10 * 60_000
const changesMs = 5 * 60_000
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

export interface Changes {
  current: number
  appIds: number[]
  /** Steam no longer knows what changed since then. */
  fullNeeded: boolean
}

export interface SessionState {
  isConnected: boolean
  isReconnecting: boolean
  reconnectAttempt: number
}

/**
 * The connection of Steam's own client, for product information. The first request connects; call
 * one at a time.
 */
export interface AlphaSession {
  products: (appIds: number[]) => Promise<AppFacts[]>
  /** Apps that changed since a change number; 0 returns the current number only. */
  changesSince: (changeNumber: number) => Promise<Changes>
  close(): Promise<void>
}

export interface SessionParts {
  access: AlphaAccess
  outside: Outside
  signal: AbortSignal
  changed: (state: SessionState) => void
  /** Between two attempts. */
  pauseMs?: number
}

const numbers = (value: unknown): number[] =>
  (Array.isArray(value) ? value : [])
    .map((entry) => Number((entry as { appid?: unknown }).appid))
    .filter((id) => Number.isSafeInteger(id) && id > 0)

type Library = typeof AlphaUser

declare const self: Worker

let loaded: Promise<Library> | null = null

/**
 * Loads the library with the first connection: it takes seconds and 100 MB. One of its parts takes
 * the messages of every worker that loads it; they are given back to the engine.
 */
async function load(): Promise<Library> {
  const { onmessage } = self
  const { default: library } = await import('steam-user')
  self.onmessage = onmessage
  return library
}

const library = (): Promise<Library> => (loaded ??= load())

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
async function directory({ access, outside, signal }: SessionParts) {
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
    return servers.filter(({ endpoint, type }) => endpoint !== '' && type === 'websockets')
  })
  return servers.catch(unreachable)
}

class Session implements AlphaSession {
  readonly #parts: SessionParts
  readonly #state: SessionState = { isConnected: false, isReconnecting: false, reconnectAttempt: 0 }
  #client: AlphaUser | null = null
  #servers: AlphaUser.CmServer[] = []
  /** Servers that failed during this session. */
  readonly #failed = new Set<string>()

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  products = (appIds: number[]): Promise<AppFacts[]> =>
    this.#insist(productInfoMs, async (user) => {
      const { apps } = await user.getProductInfo(appIds, [], true)
      return Object.entries(apps).map(([id, { appinfo }]) => appFacts(Number(id), appinfo))
    })

  changesSince = (changeNumber: number): Promise<Changes> =>
    this.#insist(changesMs, (user) => changes(user, changeNumber))

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

  #report(change: Partial<SessionState>): void {
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

  /** Sends a request again over a new connection when the old one was lost. */
  async #insist<T>(limitMs: number, ask: (user: AlphaUser) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const user = this.#client ?? (await this.#connect())
      try {
        return await this.#guarded(user, limitMs, ask(user))
      } catch (error) {
        this.#drop()
        if (attempt >= requestAttempts || this.#parts.signal.aborted) throw error
        this.#report({ isReconnecting: true, reconnectAttempt: attempt })
      }
    }
  }
}

export const createAlphaSession = (parts: SessionParts): AlphaSession => new Session(parts)

async function changes(user: AlphaUser, since: number): Promise<Changes> {
  const { EMsg } = await library()
  const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>()
  const request = {
    since_change_number: since,
    send_app_info_changes: true,
    send_package_info_changes: false,
  }
  user._send(EMsg.ClientPICSChangesSinceRequest, request, resolve)
  const body = await promise
  return {
    current: Number(body.current_change_number ?? 0),
    appIds: numbers(body.app_changes),
    fullNeeded: body.force_full_update === true || body.force_full_app_update === true,
  }
}
