import { Type, type Static } from '@sinclair/typebox'
import { systemClock as clock } from '../../../core/lib/clock.ts'
import { DeviceKey, openDevice, type Signing } from '../../../engines/epsilon-connection/device.ts'
import {
  EpsilonRefusal,
  type EpsilonAccess,
  type EpsilonTokens,
  type MicrosoftToken,
} from '../../../engines/epsilon-connection/tokens.ts'
import { OutsideError } from '../../../core/lib/outside.ts'
import { LoginError } from '../engine.ts'
import type { LoginFile } from '../login-file.ts'

/** What is stored of a sign-in. */
export const EpsilonLogin = Type.Object({
  refreshToken: Type.String({ minLength: 1 }),
  displayName: Type.Union([Type.String(), Type.Null()]),
  /** When the token was issued. */
  savedAt: Type.String(),
  device: DeviceKey,
})
export type EpsilonLogin = Static<typeof EpsilonLogin>

/** A token is renewed when it is valid for less than this. */
const renewBeforeMs = 10 * 60_000
/** Authorizations are valid for some hours. */
const accessMs = 3_600_000

/** A sign-in in memory; what is in `login` is stored, too. */
export interface Session {
  login: EpsilonLogin
  signing: Signing
  accessToken: string
  tokenEndMs: number
  access: EpsilonAccess | null
  accessEndMs: number
}

/** What a session is made from; a device that is missing or cannot be used is replaced. */
type Origin = Pick<EpsilonLogin, 'displayName'> & { device: unknown }

/** Makes refusals and services that cannot be reached readable. */
export function toLoginError(error: unknown): never {
  const isKnown = error instanceof EpsilonRefusal || error instanceof OutsideError
  throw isKnown ? new LoginError(error.message) : error
}

/** Exchanges and stores tokens. A refresh token is valid once, so calls must not overlap. */
export function createSessions(web: EpsilonTokens, file: LoginFile<EpsilonLogin>) {
  /** What began before a sign-out stores nothing. */
  let signOuts = 0

  function store(login: EpsilonLogin, begun: number): EpsilonLogin {
    if (begun !== signOuts) throw new LoginError('Signed out of Xbox meanwhile')
    file.write(login)
    return login
  }

  /** The refresh token is stored before anything else: the one before it may be void by now. */
  function open(token: MicrosoftToken, { displayName, device }: Origin, begun = signOuts): Session {
    const opened = openDevice(device, () => clock.now())
    const refreshToken = token.refresh_token
    const savedAt = clock.now().toISOString()
    return {
      login: store({ refreshToken, displayName, savedAt, device: opened.device }, begun),
      signing: opened.signing,
      accessToken: token.access_token,
      tokenEndMs: clock.elapsedMs() + token.expires_in * 1000,
      access: null,
      accessEndMs: 0,
    }
  }

  /** Microsoft no longer accepts a sign-in: the next one begins anew. */
  function refused({ refreshToken }: { refreshToken: string }, error: unknown): never {
    const isRefused = error instanceof EpsilonRefusal
    if (isRefused && file.read()?.refreshToken === refreshToken) file.remove()
    throw isRefused ? new LoginError(error.message) : error
  }

  /** No signal ends it: its answer is the only token that is valid afterwards. */
  async function renewed(login: Origin & { refreshToken: string }): Promise<Session> {
    const begun = signOuts
    const token = await web
      .refresh(login.refreshToken)
      .catch((error: unknown) => refused(login, error))
    return open(token, login, begun)
  }

  return {
    /** Stores a token. */
    open,
    /** Rejects with LoginError when the token is refused; a stored one is deleted then. */
    renewed,
    rename(session: Session, displayName: string | null): void {
      session.login = store({ ...session.login, displayName }, signOuts)
    },
    /** Renews what is needed. Rejects with LoginError like `renewed`, or with OutsideError. */
    async authorize(session: Session, signal: AbortSignal): Promise<EpsilonAccess> {
      if (session.access !== null && clock.elapsedMs() < session.accessEndMs) return session.access
      if (clock.elapsedMs() > session.tokenEndMs - renewBeforeMs) {
        Object.assign(session, await renewed(session.login))
      }
      const { accessToken, signing, login } = session
      const begun = signOuts
      session.access = await web
        .access(accessToken, signing, signal)
        .catch((error: unknown) => refused(login, error))
      if (begun !== signOuts) throw new LoginError('Signed out of Xbox meanwhile')
      session.accessEndMs = clock.elapsedMs() + accessMs
      return session.access
    },
    /** Deletes what is stored. */
    signOut(): void {
      signOuts++
      file.remove()
    },
  }
}
