import { Fields, MessageError } from './fields.ts'

/** Answer to `status`. Times are ISO-8601. Throws MessageError. */
export function readStatus(data: unknown) {
  const fields = new Fields(data, 'status')
  return {
    isLoggedIn: fields.flag('isLoggedIn'),
    /** End of the long-lived token. */
    authExpiryUtc: fields.text('authExpiryUtc'),
    /** Name that the user typed (alpha). */
    username: fields.text('username'),
    /** Name of the account (beta, epsilon). */
    accountDisplayName: fields.text('accountDisplayName'),
    isPrefilling: fields.flag('isPrefilling'),
    /** Larder's own daemon, which knows its commands: only it reports whether it prefills. */
    isLarders: fields.any('isPrefilling') !== null,
  }
}
export type DaemonStatus = ReturnType<typeof readStatus>

/** Message of `awaiting-login` after a failure; the reason follows. */
export const loginFailedPrefix = 'Login failed: '

const authStates = ['logged-in', 'awaiting-login'] as const

/**
 * Data of the event `auth-state`, which ends every login, or of `status-update` with its `status`.
 * Throws MessageError.
 */
export function readAuthState(data: unknown) {
  const fields = new Fields(data, 'auth-state')
  const given = fields.text('state') ?? fields.text('status')
  const state = authStates.find((known) => known === given)
  if (state === undefined) throw new MessageError('auth-state: unknown state')
  return { state, message: fields.text('message'), displayName: fields.text('displayName') }
}
export type AuthState = ReturnType<typeof readAuthState>

/** A sign-in that a manager has stored: what it sends with `provide-auto-login`, as JSON. */
export interface StoredLogin {
  refreshToken: string
  /** alpha */
  username?: string
  /** epsilon: the key that the token belongs to, PKCS #8. */
  deviceKeyPkcs8?: string
}

/** Reads the plain text of `provide-auto-login`. Throws MessageError, without the text. */
export function readStoredLogin(text: string): StoredLogin {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    throw new MessageError('stored login: not JSON')
  }
  const fields = new Fields(data, 'stored login')
  const username = fields.text('username')
  const deviceKeyPkcs8 = fields.text('deviceKeyPkcs8')
  return {
    refreshToken: fields.requiredText('refreshToken'),
    ...(username !== null && { username }),
    ...(deviceKeyPkcs8 !== null && { deviceKeyPkcs8 }),
  }
}

export const credentialTypes = [
  'username',
  'password',
  '2fa',
  'steamguard',
  'device-confirmation',
  'authorization-url',
  'device-code',
  'auto-login',
  'refresh-token',
] as const
export type CredentialType = (typeof credentialTypes)[number]

/**
 * Data of the event `credential-challenge`: the daemon waits for a credential of this type. Throws
 * MessageError, also for an unknown type.
 */
export function readChallenge(data: unknown) {
  const fields = new Fields(data, 'credential-challenge')
  const given = fields.requiredText('credentialType')
  const spelled = given === 'steam-guard' ? 'steamguard' : given
  const credentialType = credentialTypes.find((type) => type === spelled)
  if (credentialType === undefined) {
    throw new MessageError('credential-challenge: unknown credentialType')
  }
  return {
    challengeId: fields.requiredText('challengeId'),
    credentialType,
    /** Domain of the address that the code was sent to. */
    email: fields.text('email'),
    // Other daemons name the address after the standard of device codes.
    authUrl: fields.text('authUrl') ?? fields.text('verificationUri'),
    userCode: fields.text('userCode'),
    /** P-256 point, base64. */
    serverPublicKey: fields.requiredText('serverPublicKey'),
    createdAt: fields.text('createdAt') ?? '',
    expiresAt: fields.text('expiresAt') ?? '',
  }
}
export type Challenge = ReturnType<typeof readChallenge>

/** Data of a challenge as it is sent. */
export const challengeData = (challenge: Challenge): object => ({
  type: 'credential-challenge',
  ...challenge,
})
