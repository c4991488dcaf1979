import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto'
import { EAuthSessionGuardType, EResult } from 'steam-session'
import messages from 'steam-session/dist/protobuf-generated/load.js'
import { StandIn } from './serve-locally.ts'

/** One account of the stand-in, and the steps of its sign-in. */
export interface StandInAccount {
  password: string
  /** The proofs that Steam offers; none: the password is enough. */
  guards?: ('email' | 'device' | 'phone' | 'future')[]
  code?: string
}

interface Session {
  clientId: string
  account: StandInAccount
  accountName: string
  isProven: boolean
  isDeclined: boolean
  polls: number
}

export interface Message {
  encode(values: object): { finish(): Uint8Array }
  decode(bytes: Uint8Array): object
  toObject(message: object, options: object): Record<string, unknown>
}

// The generated file has no types.
const protocol = messages as unknown as Record<string, Message>

export const messageNamed = (name: string): Message => {
  const message = protocol[name]
  if (message === undefined) throw new Error(`no message ${name}`)
  return message
}

const guardTypes = {
  email: EAuthSessionGuardType.EmailCode,
  device: EAuthSessionGuardType.DeviceCode,
  phone: EAuthSessionGuardType.DeviceConfirmation,
  /** A kind that the library does not know yet. */
  future: 42,
}

const keyBytes = 128
const keys = generateKeyPairSync('rsa', { modulusLength: keyBytes * 8 })
const publicKey = keys.publicKey.export({ format: 'jwk' })
const hexOf = (base64url: string | undefined) =>
  Buffer.from(base64url ?? '', 'base64url').toString('hex')

/** Removes the PKCS #1 1.5 padding manually: runtimes differ in their support for it. */
function decrypt(base64: string): string {
  // The library sends a number, without leading zeros.
  const number = Buffer.from(base64, 'base64')
  const whole = Buffer.concat([Buffer.alloc(Math.max(0, keyBytes - number.length)), number])
  const padded = privateDecrypt({ key: keys.privateKey, padding: constants.RSA_NO_PADDING }, whole)
  if (padded[0] !== 0 || padded[1] !== 2) return ''
  return padded.subarray(padded.indexOf(0, 2) + 1).toString('utf8')
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token like Steam's: the library reads its audience and owner. */
export function tokenFor(steamId: string, options: { audience?: string[]; endsAt?: Date } = {}) {
  const endsAt = options.endsAt ?? new Date(Date.now() + 200 * 86_400_000)
  const claims = {
    iss: 'steam',
    sub: steamId,
    aud: options.audience ?? ['client', 'web', 'renew', 'derive'],
    exp: Math.floor(endsAt.getTime() / 1000),
  }
  return `${part({ typ: 'JWT', alg: 'EdDSA' })}.${part(claims)}.c2lnbmF0dXJl`
}

class Refused extends Error {
  readonly result: number

  constructor(result: number) {
    super(`result ${result}`)
    this.result = result
  }
}

const steamId = '76561197960287930'

/**
 * A server with the documented protocol of Steam's sign-in over HTTP, for tests without the real
 * one. Also serves the two app lists with which keys are tested.
 */
export class AlphaStandIn extends StandIn {
  readonly accounts = new Map<string, StandInAccount>()
  readonly refreshToken = tokenFor(steamId)
  readonly guardToken = tokenFor(steamId, { audience: ['machine'] })
  /** Accepted Web API keys. */
  readonly keys = new Set<string>()
  /** Whether the list that needs no key exists. */
  hasPublicList = false
  /** Result returned instead of the real one, by name of the call. */
  readonly failures = new Map<string, number>()
  /** Status returned instead, by name of the call: an error before Steam itself. */
  readonly statuses = new Map<string, number>()
  /** Awaited before every response. */
  hold: Promise<void> | null = null
  mails = 0
  readonly #sessions = new Map<string, Session>()

  /** Taps `approve` or `deny` on the phone. */
  tap(isApproved: boolean): void {
    for (const session of this.#sessions.values()) {
      session.isProven ||= isApproved
      session.isDeclined ||= !isApproved
    }
  }

  /** Expires the current attempt. */
  expire(): void {
    this.#sessions.clear()
  }

  protected async answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    await this.hold
    if (pathname === '/ISteamApps/GetAppList/v2/') {
      this.calls.push('publicList')
      const list = { applist: { apps: [{ appid: 440, name: 'Team Fortress 2' }] } }
      return this.hasPublicList ? Response.json(list) : new Response('Not Found', { status: 404 })
    }
    if (pathname === '/IStoreService/GetAppList/v1/') {
      this.calls.push('storeList')
      const key = request.headers.get('x-webapi-key') ?? ''
      if (!this.keys.has(key)) return new Response('<html>Forbidden</html>', { status: 403 })
      return Response.json({ response: { apps: [{ appid: 440 }], have_more_results: true } })
    }
    const method = /^\/IAuthenticationService\/(\w+)\/v1\/$/.exec(pathname)?.[1]
    if (method === undefined) return new Response('Not Found', { status: 404 })
    const encoded =
      request.method === 'GET'
        ? searchParams.get('input_protobuf_encoded')
        : (await request.formData()).get('input_protobuf_encoded')
    const status = this.statuses.get(method)
    if (status !== undefined) this.calls.push(method)
    if (status !== undefined) return new Response('<html>not Steam</html>', { status })
    const bytes = Buffer.from(typeof encoded === 'string' ? encoded : '', 'base64')
    const { result, body } = this.call(method, bytes)
    const headers = { 'x-eresult': String(result), 'Content-Type': 'application/octet-stream' }
    return new Response(body, { headers })
  }

  /** One call of the authentication service, over any transport. */
  call(method: string, bytes: Uint8Array): { result: number; body: Uint8Array<ArrayBuffer> } {
    this.calls.push(method)
    const prefix = `CAuthentication_${method}`
    const isStart = method === 'BeginAuthSessionViaCredentials'
    const input = messageNamed(`${prefix}_Request${isStart ? '_BinaryGuardData' : ''}`)
    try {
      const failure = this.failures.get(method)
      if (failure !== undefined) throw new Refused(failure)
      const fields = input.toObject(input.decode(bytes), { longs: String })
      const output = messageNamed(`${prefix}_Response`).encode(this.#act(method, fields))
      // A copy, since the encoder returns a view of a larger buffer.
      return { result: EResult.OK, body: Uint8Array.from(output.finish()) }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return { result: error.result, body: new Uint8Array() }
    }
  }

  #act(method: string, fields: Record<string, unknown>): object {
    if (method === 'GetPasswordRSAPublicKey') {
      const { n, e } = publicKey
      return { publickey_mod: hexOf(n), publickey_exp: hexOf(e), timestamp: '1234' }
    }
    if (method === 'BeginAuthSessionViaCredentials') return this.#begin(fields)
    if (method === 'UpdateAuthSessionWithSteamGuardCode') return this.#prove(fields)
    if (method === 'PollAuthSessionStatus') return this.#poll(fields)
    throw new Refused(EResult.InvalidParam)
  }

  #begin(fields: Record<string, unknown>): object {
    const accountName = String(fields.account_name)
    const account = this.accounts.get(accountName.toLowerCase())
    const isRight = account?.password === decrypt(String(fields.encrypted_password))
    if (account === undefined || !isRight) throw new Refused(EResult.InvalidPassword)
    const hasGuard = Buffer.from((fields.guard_data as Uint8Array | undefined) ?? []).length > 0
    const guards = (account.guards ?? []).filter((guard) => guard !== 'email' || !hasGuard)
    if (guards.includes('email')) this.mails++
    const clientId = String(1000 + this.#sessions.size + this.calls.length)
    const session = { clientId, account, accountName, isDeclined: false, polls: 0 }
    this.#sessions.set(clientId, { ...session, isProven: guards.length === 0 })
    const types = guards.map((guard) => ({
      confirmation_type: guardTypes[guard],
      ...(guard === 'email' && { associated_message: 'example.test' }),
    }))
    return {
      client_id: clientId,
      request_id: Buffer.from(clientId),
      interval: 0.02,
      steamid: steamId,
      allowed_confirmations:
        types.length > 0 ? types : [{ confirmation_type: EAuthSessionGuardType.None }],
    }
  }

  #session(fields: Record<string, unknown>): Session {
    const session = this.#sessions.get(String(fields.client_id))
    if (session === undefined) throw new Refused(EResult.FileNotFound)
    return session
  }

  #prove(fields: Record<string, unknown>): object {
    const session = this.#session(fields)
    if (session.isProven) throw new Refused(EResult.DuplicateRequest)
    if (fields.code !== session.account.code) {
      const isMail = fields.code_type === EAuthSessionGuardType.EmailCode
      throw new Refused(isMail ? EResult.InvalidLoginAuthCode : EResult.TwoFactorCodeMismatch)
    }
    session.isProven = true
    return {}
  }

  #poll(fields: Record<string, unknown>): object {
    const session = this.#session(fields)
    session.polls++
    if (session.isDeclined) throw new Refused(EResult.FileNotFound)
    if (!session.isProven) return { had_remote_interaction: false }
    return {
      refresh_token: this.refreshToken,
      access_token: tokenFor(steamId, { audience: ['client', 'web'] }),
      account_name: session.accountName.toLowerCase(),
      new_guard_data: this.guardToken,
    }
  }
}
