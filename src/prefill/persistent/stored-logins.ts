/*
 * A stored sign-in is handed over on request only. A persistent session of Steam can be signed in
 * with the account that is stored for this installation (`POST
 * /api/ext/prefill/persistent/stored-login`), encrypted like any credential. Epic Games and
 * Microsoft replace a token with every use, so theirs are not shared. When a session starts, its
 * daemon only takes up what it has stored itself; one that asks for a credential stays signed out.
 */
import type { CredentialName, Credentials } from '../../core/secrets/credentials.ts'
import type { Platform } from '../../platforms/platforms.ts'
import type { StoredLogin } from '../protocol/login.ts'

/**
 * Sign-ins of this installation that a prefill daemon may use as well. Steam accepts a token from
 * several programs; Epic Games and Microsoft replace it with every use, so that two holders of one
 * would sign each other out.
 */
const names: Partial<Record<Platform, CredentialName>> = { alpha: 'alpha.refreshToken' }

/** Name of the account whose sign-in is stored and can be read; null: none. */
export function storedLogin(
  credentials: Pick<Credentials, 'read'>,
  platform: Platform,
): (StoredLogin & { username: string }) | null {
  const name = names[platform]
  const kept = name === undefined ? null : credentials.read(name)
  if (kept?.state !== 'kept' || kept.label === null) return null
  return { username: kept.label, refreshToken: kept.secret }
}
