import type { Credentials } from '../../src/core/secrets/credentials.ts'

/** Credentials that are kept in memory only. */
export function keptCredentials(): Pick<Credentials, 'read' | 'keep' | 'forget'> {
  const kept = new Map<string, string>()
  return {
    read(name) {
      const secret = kept.get(name)
      if (secret === undefined) return { state: 'none' }
      return { state: 'kept', secret, label: null, updatedAt: new Date(0) }
    },
    keep: (name, secret) => void kept.set(name, secret),
    forget: (name) => kept.delete(name),
  }
}
