import { Fields, MessageError } from './fields.ts'

/** Answer to `status`. Times are ISO-8601. */
export interface DaemonStatus {
  isLoggedIn: boolean
  isInitialized: boolean
  /** End of the long-lived token. */
  authExpiryUtc: string | null
  accessExpiryUtc: string | null
  xstsExpiryUtc: string | null
  /** Name that the user typed (alpha). */
  username: string | null
  /** Name of the account (beta, epsilon). */
  accountDisplayName: string | null
  isPrefilling: boolean
  /** Larder's own daemon, which knows its commands: only it reports whether it prefills. */
  isLarders: boolean
}

/** Throws MessageError. */
export function readStatus(data: unknown): DaemonStatus {
  const fields = new Fields(data, 'status')
  return {
    isLoggedIn: fields.flag('isLoggedIn'),
    isInitialized: fields.flag('isInitialized'),
    authExpiryUtc: fields.text('authExpiryUtc'),
    accessExpiryUtc: fields.text('accessExpiryUtc'),
    xstsExpiryUtc: fields.text('xstsExpiryUtc'),
    username: fields.text('username'),
    accountDisplayName: fields.text('accountDisplayName'),
    isPrefilling: fields.flag('isPrefilling'),
    isLarders: fields.any('isPrefilling') !== null,
  }
}

/** Data of the event `auth-state`, which ends every login. */
export interface AuthState {
  state: 'logged-in' | 'awaiting-login'
  message: string | null
  displayName: string | null
}

/** Message of `awaiting-login` after a failure; the reason follows. */
export const loginFailedPrefix = 'Login failed: '

/** Reads `auth-state`, or `status-update` with its `status`. Throws MessageError. */
export function readAuthState(data: unknown): AuthState {
  const fields = new Fields(data, 'auth-state')
  const state = fields.text('state') ?? fields.text('status')
  if (state !== 'logged-in' && state !== 'awaiting-login') {
    throw new MessageError('auth-state: unknown state')
  }
  return { state, message: fields.text('message'), displayName: fields.text('displayName') }
}

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

/** Data of the event `credential-challenge`: the daemon waits for a credential of this type. */
export interface Challenge {
  challengeId: string
  credentialType: CredentialType
  /** Domain of the address that the code was sent to. */
  email: string | null
  authUrl: string | null
  userCode: string | null
  /** P-256 point, base64. */
  serverPublicKey: string
  createdAt: string
  expiresAt: string
}

/** Throws MessageError, also for an unknown credential type. */
export function readChallenge(data: unknown): Challenge {
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
    email: fields.text('email'),
    // Other daemons name the address after the standard of device codes.
    authUrl: fields.text('authUrl') ?? fields.text('verificationUri'),
    userCode: fields.text('userCode'),
    serverPublicKey: fields.requiredText('serverPublicKey'),
    createdAt: fields.text('createdAt') ?? '',
    expiresAt: fields.text('expiresAt') ?? '',
  }
}

/** Data of a challenge as it is sent. */
export const challengeData = (challenge: Challenge): object => ({
  type: 'credential-challenge',
  ...challenge,
})
