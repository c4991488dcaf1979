import { join } from 'node:path'
import { type Caller, anonymous } from '../core/caller.ts'
import type { Config } from '../core/config.ts'
import { passes } from '../core/http/access.ts'
import { AppError } from '../core/http/errors.ts'
import type { Logger } from '../core/lib/log.ts'
import type { Core } from '../core/core.ts'
import { Antiforgery } from '../core/http/antiforgery.ts'
import { createGate } from '../core/http/gate.ts'
import { RemoteAddress } from '../core/http/remote-address.ts'
import { keepSecret, randomText } from '../core/lib/secret-file.ts'
import { readCookie, sessionCookie } from '../core/http/cookies.ts'
import { shareHeader } from '../core/lib/share-pages.ts'
import type { AccessControl, Proof } from './contract.ts'
import { Lockout } from './accounts/lockout.ts'
import { prepareDecoy } from './accounts/password.ts'
import { createAccountStore } from './accounts/store.ts'
import { createInstallationKey } from './api-keys/installation-key.ts'
import { createKeyCheck, type KeyCheck } from './api-keys/key-check.ts'
import { createAuditTrail } from './audit/trail.ts'
import { createPreferenceStore } from './preferences/store.ts'
import { createGeoLookup } from './geo/lookup.ts'
import { ShareLinks } from './links/links.ts'
import { never, Sessions, type IssuedSession, type FoundSession } from './sessions/sessions.ts'
import { RecoveryWindow } from './setup/recovery.ts'
import { KnownDevices } from './sign-in/known-devices.ts'
import { SessionStore } from './sessions/store.ts'

/** The active session of a request's cookie. */
function sessionOf(sessions: Sessions, request: Request): FoundSession | null {
  const token = readCookie(request, sessionCookie)
  return token === null ? null : sessions.find(token)
}

/** The caller of every request while authentication is disabled. */
const sharedCaller = (sessionId: string): Caller => ({
  kind: 'session',
  sessionId,
  role: 'admin',
  accountId: null,
  isOwner: true,
  prefillGrants: [],
})

interface Parts {
  sessions: Sessions
  links: ShareLinks
  log: Logger
  /** The shared session while authentication is disabled. */
  shared: () => IssuedSession | null
}

/** Identifies the caller of a request and records that the session was seen. */
function createIdentify({ sessions, links, log, shared }: Parts) {
  function noteSeen(request: Request, found: FoundSession): void {
    const isIdle = request.headers.get('x-user-active') === 'false'
    try {
      sessions.noteUsed(found)
      if (isIdle || new URL(request.url).pathname.startsWith('/hubs/')) return
      sessions.noteSeen(found)
    } catch (error) {
      // A full disk must not lock users out.
      log.warn({ err: error }, 'the use of a session could not be stored')
    }
  }

  return (request: Request): Caller => {
    // Before the cookie: a signed-in visitor sees a shared page as others do.
    const token = request.headers.get(shareHeader)
    if (token !== null) return links.callerOf(token, request)
    const everybody = shared()
    if (everybody !== null) return sharedCaller(everybody.id)
    const found = sessionOf(sessions, request)
    if (found === null) return anonymous
    noteSeen(request, found)
    return sessions.caller(found)
  }
}

function openShared(sessions: Sessions): IssuedSession {
  return sessions.issue({
    type: 'admin',
    accountId: null,
    expiresAt: never,
    ipAddress: null,
    userAgent: 'authentication is switched off',
  })
}

/** Removes what must not survive a restart. */
function tidySessions(sessions: Sessions, isSetUpAnew: boolean): void {
  if (isSetUpAnew) sessions.deleteAll('setUpAnew')
  sessions.store.deleteWithoutAccount()
  sessions.prune()
}

/**
 * Restricts `/reference` and the OpenAPI documents to administrators and requests with the
 * installation key. A browser without a session is redirected to the sign-in page.
 */
const documentGuard =
  (identify: (request: Request) => Caller, keys: KeyCheck) =>
  async (request: Request): Promise<Response | undefined> => {
    const caller = identify(request)
    if (passes(caller, 'admin')) return undefined
    const isKeyRight = keys.check(request, { bearer: false })
    if (isKeyRight === true) return undefined
    if (isKeyRight === false) throw new AppError('unauthenticated')
    if (caller.kind === 'session') throw new AppError('forbidden')
    const isBrowser = request.headers.get('accept')?.includes('text/html') ?? false
    if (!isBrowser) throw new AppError('unauthenticated')
    return new Response(null, { status: 302, headers: { Location: '/' } })
  }

const securityIn = (dataPath: string) => join(dataPath, 'security')

/** The installation key of the data folder; makes one where there is none. */
export const installationKey = ({ dataPath, security }: Config, log: Logger) =>
  createInstallationKey(security.keyPath ?? join(securityIn(dataPath), 'api_key.txt'), log)

export function createAccessControl(deps: Core): AccessControl {
  const { config, clock, state, hub } = deps
  const { security } = config
  const { isAuthenticationEnabled } = security
  const log = deps.log.child({ part: 'access' })
  const securityPath = securityIn(config.dataPath)
  const key = installationKey(config, log)
  const { secret } = keepSecret(join(securityPath, 'antiforgery.key'), () => randomText(32))
  const address = new RemoteAddress(security)
  const antiforgery = new Antiforgery(secret)
  const noteRefused = (request: Request, proof: Proof) =>
    log.warn(`authentication failure from ${address.of(request) ?? 'a local socket'}: ${proof}`)
  const wrong = (request: Request) => noteRefused(request, 'installation key')
  const keys = createKeyCheck({ key, address, clock, wrong })
  const devices = new KnownDevices(secret)
  const sessions = new Sessions({ store: new SessionStore(state), clock, hub })
  const accounts = createAccountStore(state)
  const links = new ShareLinks({ clock, log, state, address })

  // After losing the key or all accounts the set-up starts over, and old cookies must not work.
  const isSetUpAnew = key.isNew || (isAuthenticationEnabled && !accounts.exists())
  tidySessions(sessions, isSetUpAnew)
  const openIfShared = () => (isAuthenticationEnabled ? null : openShared(sessions))
  let shared = openIfShared()
  const identify = createIdentify({ sessions, links, log, shared: () => shared })
  const keyListeners: (() => void)[] = []
  prepareDecoy()

  return {
    gate: createGate({ clock, address, antiforgery, isAuthenticationEnabled, identify }),
    guardDocuments: documentGuard(identify, keys),
    attachServer: (server) => address.attach(server),
    installationKey: () => key.value(),
    key,
    keys,
    address,
    antiforgery,
    sessions,
    accounts,
    preferences: createPreferenceStore(state, clock),
    links,
    lockout: new Lockout(clock),
    audit: createAuditTrail(state, clock),
    recovery: new RecoveryWindow(clock),
    ownerClaim: { isClosed: false },
    devices,
    geo: config.geo.isEnabled ? createGeoLookup(config.geo.baseUrl, { clock, log }) : null,
    get shared() {
      return shared
    },
    endEverySession(end) {
      sessions.deleteAll(end)
      shared = openIfShared()
    },
    onKeyRotated: (listener) => void keyListeners.push(listener),
    announceKeyRotated() {
      for (const listener of keyListeners) listener()
    },
    origin: (request) => ({
      ipAddress: address.of(request),
      userAgent: request.headers.get('user-agent'),
    }),
    noteRefused,
    deviceOf(request, accountId) {
      const session = sessionOf(sessions, request)
      const own = session?.accountId === accountId ? session.id : null
      return devices.find(request, accountId) ?? own
    },
    sessionOf: (request) => sessionOf(sessions, request),
  }
}
