import { eq } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { platforms, type Platform } from '../../platforms/platforms.ts'
import { credential } from '../../../db/state/schema/credentials.ts'
import type { Clock } from '../lib/clock.ts'
import { SealError, type Sealer } from '../lib/seal.ts'

/** Names of all sealed secrets, as `<platform>.<what>`. */
export const credentialNames = [
  'alpha.webApiKey',
  'alpha.refreshToken',
  'alpha.guardToken',
  'beta.refreshToken',
  'clients.queryLogPassword',
  'epsilon.refreshToken',
  'epsilon.deviceKey',
  'events.feedToken',
  'mqtt.password',
  'oidc.clientSecret',
  // Of persistent daemons, which a later process connects to again.
  ...platforms.map((platform) => `prefill.${platform}Secret` as const),
] as const
/** Further names: of targets of notifications, further accounts of prefill, and parties, by their ids. */
export type CredentialName =
  | (typeof credentialNames)[number]
  | `notifications.${string}`
  | `party.${number}.${'party' | 'kiosk'}`
  | `prefill.${Platform}Secret.${string}`

/**
 * `unreadable`: it exists, but the key file was lost or replaced, the text was altered, or the
 * platform refused it.
 */
export type Kept =
  | { state: 'none' }
  | { state: 'kept'; secret: string; label: string | null; updatedAt: Date }
  | { state: 'unreadable'; label: string | null; reason: string }

/** In place of a sealed secret that was deleted. */
const discarded = ''

export type Credentials = ReturnType<typeof createCredentials>

/** Secrets of platforms. The main thread is the only reader and writer. */
export function createCredentials({ db }: StateDatabase, sealer: Sealer, clock: Clock) {
  const find = (name: CredentialName) =>
    db.select().from(credential).where(eq(credential.name, name)).get()

  return {
    /** Name of the account; null without a secret. Needs no key. */
    label: (name: CredentialName): string | null => find(name)?.label ?? null,
    read(name: CredentialName): Kept {
      const row = find(name)
      if (row === undefined) return { state: 'none' }
      const { label, sealed, updatedAt } = row
      if (sealed === discarded) {
        return { state: 'unreadable', label, reason: 'the platform no longer accepts it' }
      }
      try {
        return { state: 'kept', secret: sealer.open(name, sealed), label, updatedAt }
      } catch (error) {
        if (!(error instanceof SealError)) throw error
        return { state: 'unreadable', label, reason: error.message }
      }
    },
    /** Throws SealError when the key file is unusable; nothing is stored then. */
    keep(name: CredentialName, secret: string, label?: string): void {
      const row = {
        label: label ?? null,
        sealed: sealer.seal(name, secret),
        updatedAt: clock.now(),
      }
      db.insert(credential)
        .values({ name, ...row })
        .onConflictDoUpdate({ target: credential.name, set: row })
        .run()
    },
    /** The platform refuses the secret: deletes it; the account's name stays, to sign in again. */
    discard(name: CredentialName): void {
      const row = { sealed: discarded, updatedAt: clock.now() }
      db.update(credential).set(row).where(eq(credential.name, name)).run()
    },
    /** False when there was none. */
    forget: (name: CredentialName): boolean =>
      db.delete(credential).where(eq(credential.name, name)).returning().all().length > 0,
  }
}
