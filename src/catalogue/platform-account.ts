import type { Core } from '../core/core.ts'
import { OutsideError } from '../core/lib/outside.ts'
import type { CredentialName } from '../core/secrets/credentials.ts'

/** An access token is renewed when it is valid for less than this. */
const renewBeforeMs = 10 * 60_000
/** A stored sign-in is checked this long after the start. */
const renewAfterMs = 3000

/** As the token services of Epic Games and Microsoft answer. */
interface Token {
  access_token: string
  /** Seconds. */
  expires_in: number
  refresh_token: string
  displayName?: string
}

interface Platform {
  credentialName: CredentialName
  title: string
  /** Who signs people in. */
  company: string
  /** What a refused call throws. */
  Refusal: new (reason: string) => Error & { readonly reason: string }
  refresh: (refreshToken: string) => Promise<Token>
}

/**
 * The installation's one account on a platform. The refresh token is sealed at rest, access tokens
 * are only in memory.
 */
export function createPlatformAccount(
  { clock, credentials, log, timers }: Pick<Core, 'clock' | 'credentials' | 'log' | 'timers'>,
  { credentialName, title, company, Refusal, refresh }: Platform,
) {
  let access: { token: string; untilMs: number } | null = null
  let renewal: Promise<string> | null = null
  let ended = () => {}
  let stopWaiting = () => {}
  /** Changes with every sign-in and sign-out: a renewal that began before is not stored. */
  let epoch = 0

  const isSignedIn = () => credentials.read(credentialName).state === 'kept'

  function keep(token: Token, label: string | null): void {
    const name = token.displayName?.slice(0, 100) ?? label ?? undefined
    credentials.keep(credentialName, token.refresh_token, name)
    const untilMs = clock.elapsedMs() + token.expires_in * 1000
    access = { token: token.access_token, untilMs }
  }

  function forget(): boolean {
    epoch++
    access = null
    return credentials.forget(credentialName)
  }

  async function renew(): Promise<string> {
    const kept = credentials.read(credentialName)
    if (kept.state !== 'kept') throw new Refusal('not signed in')
    const begun = epoch
    try {
      const token = await refresh(kept.secret)
      if (begun !== epoch) throw new Refusal('signed out meanwhile')
      keep(token, kept.label)
      return token.access_token
    } catch (error) {
      if (error instanceof Refusal && begun === epoch) {
        log.warn({ reason: error.reason }, `${company} ended the sign-in; sign in again`)
        forget()
        ended()
      }
      if (error instanceof OutsideError) {
        log.info({ reason: error.message }, `the sign-in to ${title} could not be renewed`)
      }
      throw error
    }
  }

  /** Throws the platform's refusal (the account is signed out then), OutsideError, SealError. */
  async function accessToken(): Promise<string> {
    const leftMs = (access?.untilMs ?? 0) - clock.elapsedMs()
    if (access !== null && leftMs > renewBeforeMs) return access.token
    renewal ??= renew().finally(() => (renewal = null))
    return renewal
  }

  return {
    isSignedIn,
    displayName: () => credentials.label(credentialName),
    /** The listener is called when the platform has refused the stored sign-in. */
    onEnded: (listener: () => void) => void (ended = listener),
    accessToken,
    /** Stores a new sign-in, by this name if the token has none. Throws SealError. */
    signedIn(token: Token, label: string | null): void {
      epoch++
      keep(token, label)
      log.info(`signed in to ${title}`)
    },
    /** False when not signed in. */
    forget,
    start() {
      stopWaiting = timers.after(renewAfterMs, () => {
        // Its failure is logged; the next refresh tries again.
        if (isSignedIn()) accessToken().catch(() => {})
      })
    },
    stop: () => stopWaiting(),
  }
}
