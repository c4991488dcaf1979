import type { Core } from '../../core/core.ts'
import { OutsideError } from '../../core/lib/outside.ts'
import { deviceOf } from './device.ts'
import {
  EpsilonRefusal,
  type EpsilonTokens,
  type MicrosoftToken,
  type Signing,
  type EpsilonAuthorization,
} from './tokens.ts'

/** An access token is renewed when it is valid for less than this. */
const renewBeforeMs = 10 * 60_000
const credentialName = 'epsilon.refreshToken'

type Parts = Pick<Core, 'clock' | 'credentials' | 'log'>

/** What requests about titles and packages need. */
export interface EpsilonAccess {
  titles: EpsilonAuthorization
  packages: { header: string; device: Signing }
}

/**
 * The installation's one Microsoft account. Refresh token and device key are sealed at rest, all
 * other tokens are only in memory.
 */
export class EpsilonAccount {
  readonly #parts: Parts
  readonly #web: EpsilonTokens
  #access: { token: string; untilMs: number } | null = null
  #renewal: Promise<string> | null = null
  #ended = () => {}
  /** Changes with every sign-in and sign-out: a renewal that began before is not stored. */
  #epoch = 0

  constructor(parts: Parts, web: EpsilonTokens) {
    this.#parts = parts
    this.#web = web
  }

  isSignedIn(): boolean {
    return this.#parts.credentials.read(credentialName).state === 'kept'
  }

  displayName(): string | null {
    return this.#parts.credentials.label(credentialName)
  }

  /** Stores a new sign-in; its name follows. Throws SealError. */
  signedIn(token: MicrosoftToken): void {
    this.#epoch++
    this.#keep(token, undefined)
    this.#parts.log.info('signed in to Xbox')
  }

  rename(gamertag: string): void {
    const { credentials } = this.#parts
    const kept = credentials.read(credentialName)
    if (kept.state === 'kept') credentials.keep(credentialName, kept.secret, gamertag)
  }

  /** The listener is called when the platform has refused the stored sign-in. */
  onEnded(listener: () => void): void {
    this.#ended = listener
  }

  /** Throws EpsilonRefusal (the account is signed out then), OutsideError, SealError. */
  async accessToken(): Promise<string> {
    const access = this.#access
    const leftMs = (access?.untilMs ?? 0) - this.#parts.clock.elapsedMs()
    if (access !== null && leftMs > renewBeforeMs) return access.token
    this.#renewal ??= this.#renew().finally(() => (this.#renewal = null))
    return this.#renewal
  }

  /** Goes through the token services. Throws EpsilonRefusal, OutsideError, SealError. */
  async authorize(signal: AbortSignal): Promise<EpsilonAccess> {
    const { clock, credentials } = this.#parts
    const web = this.#web
    const device = deviceOf(credentials)
    const signing: Signing = {
      ...device,
      sign: (request) => device.sign(request, clock.now()),
    }
    const user = await web.userToken(await this.accessToken(), signal)
    const titles = await web.authorization({ user, device: null }, 'http://xboxlive.com', signal)
    const token = await web.deviceToken(signing, signal)
    const packages = await web.authorization(
      { user, device: { token, signing } },
      'http://update.xboxlive.com',
      signal,
    )
    return { titles, packages: { header: packages.header, device: signing } }
  }

  /** False when not signed in. The device key stays: it names the installation, not the account. */
  forget(): boolean {
    this.#epoch++
    this.#access = null
    return this.#parts.credentials.forget(credentialName)
  }

  async #renew(): Promise<string> {
    const { credentials, log } = this.#parts
    const kept = credentials.read(credentialName)
    if (kept.state !== 'kept') throw new EpsilonRefusal('not signed in')
    const epoch = this.#epoch
    try {
      const token = await this.#web.refresh(kept.secret)
      if (epoch !== this.#epoch) throw new EpsilonRefusal('signed out meanwhile')
      this.#keep(token, kept.label ?? undefined)
      return token.access_token
    } catch (error) {
      if (error instanceof EpsilonRefusal && epoch === this.#epoch) {
        log.warn({ reason: error.reason }, 'Microsoft ended the sign-in; sign in again')
        this.forget()
        this.#ended()
      }
      if (error instanceof OutsideError) {
        log.info({ reason: error.message }, 'the sign-in to Xbox could not be renewed')
      }
      throw error
    }
  }

  #keep({ access_token, expires_in, refresh_token }: MicrosoftToken, label?: string): void {
    const { clock, credentials } = this.#parts
    credentials.keep(credentialName, refresh_token, label)
    this.#access = { token: access_token, untilMs: clock.elapsedMs() + expires_in * 1000 }
  }
}
