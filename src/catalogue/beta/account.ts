import type { Core } from '../../core/core.ts'
import { OutsideError } from '../../core/lib/outside.ts'
import { BetaRefusal, type BetaToken, type BetaWeb } from './web.ts'

/** An access token is renewed when it is valid for less than this. */
const renewBeforeMs = 10 * 60_000
const credentialName = 'beta.refreshToken'

type Parts = Pick<Core, 'clock' | 'config' | 'credentials' | 'log'>

/** Page on which a person signs in and is shown the code. */
export function authorizationUrl({ loginBaseUrl, clientId }: Core['config']['beta']): string {
  const target = `${loginBaseUrl}/id/api/redirect?clientId=${clientId}&responseType=code`
  return `${loginBaseUrl}/id/login?redirectUrl=${encodeURIComponent(target)}`
}

/**
 * The installation's one Epic account. The refresh token is sealed at rest, access tokens are only
 * in memory.
 */
export class BetaAccount {
  readonly #parts: Parts
  readonly #web: BetaWeb
  #access: { token: string; untilMs: number } | null = null
  #renewal: Promise<string> | null = null
  #ended = () => {}
  /** Changes with every sign-in and sign-out: a renewal that began before is not stored. */
  #epoch = 0

  constructor(parts: Parts, web: BetaWeb) {
    this.#parts = parts
    this.#web = web
  }

  isSignedIn(): boolean {
    return this.#parts.credentials.read(credentialName).state === 'kept'
  }

  displayName(): string | null {
    return this.#parts.credentials.label(credentialName)
  }

  /** The listener is called when the platform has refused the stored sign-in. */
  onEnded(listener: () => void): void {
    this.#ended = listener
  }

  /** Throws BetaRefusal, OutsideError, SealError. */
  async signIn(code: string, signal: AbortSignal): Promise<void> {
    const token = await this.#web.token({ grant_type: 'authorization_code', code }, signal)
    signal.throwIfAborted()
    this.#epoch++
    this.#keep(token)
    this.#parts.log.info('signed in to Epic Games')
  }

  /** Throws BetaRefusal (the account is signed out then), OutsideError, SealError. */
  async accessToken(): Promise<string> {
    const access = this.#access
    const leftMs = (access?.untilMs ?? 0) - this.#parts.clock.elapsedMs()
    if (access !== null && leftMs > renewBeforeMs) return access.token
    this.#renewal ??= this.#renew().finally(() => (this.#renewal = null))
    return this.#renewal
  }

  /** False when not signed in. */
  forget(): boolean {
    this.#epoch++
    this.#access = null
    return this.#parts.credentials.forget(credentialName)
  }

  async #renew(): Promise<string> {
    const { credentials, log } = this.#parts
    const kept = credentials.read(credentialName)
    if (kept.state !== 'kept') throw new BetaRefusal('not signed in')
    const epoch = this.#epoch
    try {
      const form = { grant_type: 'refresh_token', refresh_token: kept.secret }
      const token = await this.#web.token(form)
      if (epoch !== this.#epoch) throw new BetaRefusal('signed out meanwhile')
      this.#keep(token)
      return token.access_token
    } catch (error) {
      if (error instanceof BetaRefusal && epoch === this.#epoch) {
        log.warn({ reason: error.reason }, 'Epic Games ended the sign-in; sign in again')
        this.forget()
        this.#ended()
      }
      if (error instanceof OutsideError) {
        log.info({ reason: error.message }, 'the sign-in to Epic Games could not be renewed')
      }
      throw error
    }
  }

  #keep({ access_token, expires_in, refresh_token, displayName }: BetaToken): void {
    const { clock, credentials } = this.#parts
    const name = displayName?.slice(0, 100) ?? this.displayName() ?? undefined
    credentials.keep(credentialName, refresh_token, name)
    const untilMs = clock.elapsedMs() + expires_in * 1000
    this.#access = { token: access_token, untilMs }
  }
}
