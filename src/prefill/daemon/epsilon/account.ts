import pLimit from 'p-limit'
import { systemClock } from '../../../core/lib/clock.ts'
import type { EpsilonLibrary } from '../../../engines/epsilon-connection/library.ts'
import { pollForToken } from '../../../engines/epsilon-connection/poll.ts'
import type {
  EpsilonAccess,
  EpsilonTokens,
  MicrosoftToken,
} from '../../../engines/epsilon-connection/tokens.ts'
import { OutsideError } from '../../../core/lib/outside.ts'
import { systemTimers } from '../../../core/lib/timers.ts'
import { LoginError, type EngineLogin, type LoginDialog } from '../engine.ts'
import { loginFile } from '../login-file.ts'
import { createSessions, EpsilonLogin, toLoginError, type Session } from './sessions.ts'

/** Microsoft ends a sign-in that was not used for this long. */
const loginMs = 90 * 86_400_000

/** The Microsoft account of a daemon. */
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
