import pLimit from 'p-limit'
import { Type, type Static } from '@sinclair/typebox'
import { systemClock, systemClock as clock } from '../../../core/lib/clock.ts'
import type { EpsilonLibrary } from '../../../engines/epsilon-connection/library.ts'
import { pollForToken } from '../../../engines/epsilon-connection/poll.ts'
import {
  type EpsilonAccess,
  type EpsilonTokens,
  type MicrosoftToken,
  EpsilonRefusal,
} from '../../../engines/epsilon-connection/tokens.ts'
import { OutsideError } from '../../../core/lib/outside.ts'
import { systemTimers } from '../../../core/lib/timers.ts'
import { DeviceKey, openDevice, type Signing } from '../../../engines/epsilon-connection/device.ts'
import { LoginError, type EngineLogin, type LoginDialog } from '../engine.ts'
import { loginFile, type LoginFile } from '../login-file.ts'

/** What is stored of a sign-in. */
const EpsilonLogin = Type.Object({
  refreshToken: Type.String({ minLength: 1 }),
  displayName: Type.Union([Type.String(), Type.Null()]),
  /** When the token was issued. */
  savedAt: Type.String(),
  device: DeviceKey,
})
type EpsilonLogin = Static<typeof EpsilonLogin>

/** A token is renewed when it is valid for less than this. */
const renewBeforeMs = 10 * 60_000
/** Authorizations are valid for some hours. */
const accessMs = 3_600_000

/** A sign-in in memory; what is in `login` is stored, too. */
interface Session {
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
function toLoginError(error: unknown): never {
  const isKnown = error instanceof EpsilonRefusal || error instanceof OutsideError
  throw isKnown ? new LoginError(error.message) : error
}

/** Exchanges and stores tokens. A refresh token is valid once, so calls must not overlap. */
function createSessions(web: EpsilonTokens, file: LoginFile<EpsilonLogin>) {
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

/** Microsoft ends a sign-in that was not used for this long. */
const loginMs = 90 * 86_400_000

export interface EpsilonAccount extends EngineLogin {
  /**
   * Calls `ask` with authorization for the services of Xbox, again with a new one when they refuse
   * it. Rejects with LoginError when nobody is signed in, or with what `ask` throws.
   */
  use<T>(ask: (access: EpsilonAccess) => Promise<T>, signal: AbortSignal): Promise<T>
}

/** Shows a code and waits until it is approved in a browser. */
async function approvedToken(
  web: EpsilonTokens,
  { show, signal }: LoginDialog,
): Promise<MicrosoftToken> {
  const code = await web.deviceCode()
  const { verification_uri: authUrl, user_code: userCode } = code
  show({ credentialType: 'device-code', authUrl, userCode })
  return pollForToken({ web, clock: systemClock, timers: systemTimers }, code, signal)
}

/** Calls `ask` with authorization, again with a new one when a service refuses it. */
async function withFreshAccess<T>(
  access: () => Promise<EpsilonAccess>,
  ask: (access: EpsilonAccess) => Promise<T>,
  drop: (refused: EpsilonAccess) => void,
): Promise<T> {
  const first = await access()
  try {
    return await ask(first)
  } catch (error) {
    if (!(error instanceof OutsideError) || error.status !== 401) throw error
    drop(first)
    return ask(await access())
  }
}

/** The refresh token is in a file below `folder`, all others are in memory only. */
export function createEpsilonAccount(
  { web, library }: { web: EpsilonTokens; library: EpsilonLibrary },
  folder: string,
): EpsilonAccount {
  const file = loginFile(folder, 'epsilon', EpsilonLogin)
  const sessions = createSessions(web, file)
  const turn = pLimit(1)
  let session: Session | null = null

  async function enter(opened: Session, signal: AbortSignal): Promise<void> {
    const { titles } = await sessions.authorize(opened, signal)
    // Nothing depends on the name.
    const asked = () => library.gamertag(titles, signal).catch(() => null)
    const displayName = titles.gamertag ?? opened.login.displayName ?? (await asked())
    signal.throwIfAborted()
    if (displayName !== opened.login.displayName) sessions.rename(opened, displayName)
    session = opened
  }

  const access = (signal: AbortSignal) =>
    turn(async () => {
      if (session === null) throw new LoginError('Nobody is signed in to Xbox')
      try {
        return await sessions.authorize(session, signal)
      } catch (error) {
        if (error instanceof LoginError) session = null
        throw error
      }
    })

  return {
    get signedIn() {
      if (session === null) return null
      const { displayName, savedAt } = session.login
      const authExpiryUtc = new Date(Date.parse(savedAt) + loginMs).toISOString()
      return { displayName, username: null, authExpiryUtc }
    },
    restore: (signal) =>
      turn(async () => {
        const login = session === null ? file.read() : null
        if (login !== null) await enter(await sessions.renewed(login), signal)
        return session !== null
      }),
    async signIn(dialog) {
      const token = await approvedToken(web, dialog).catch(toLoginError)
      const { signal } = dialog
      const origin = { displayName: null, device: file.read()?.device }
      await turn(() => enter(sessions.open(token, origin), signal)).catch(toLoginError)
    },
    async signInWith({ refreshToken, deviceKeyPkcs8 }, signal) {
      const given = { id: crypto.randomUUID(), pkcs8: deviceKeyPkcs8 }
      const device = deviceKeyPkcs8 === undefined ? file.read()?.device : given
      const login = { refreshToken, displayName: null, device }
      await turn(async () => enter(await sessions.renewed(login), signal)).catch(toLoginError)
    },
    forget: () => void (session = null),
    signOut() {
      session = null
      sessions.signOut()
      return Promise.resolve()
    },
    use: (ask, signal) =>
      withFreshAccess(
        () => access(signal),
        ask,
        (refused) => {
          if (session?.access === refused) session.access = null
        },
      ),
  }
}
