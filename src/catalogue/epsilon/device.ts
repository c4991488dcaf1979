import { openDevice, type Signing } from '../../engines/epsilon-connection/device.ts'
import type { Credentials } from '../../core/secrets/credentials.ts'

const credentialName = 'epsilon.deviceKey'

/** The stored device; a new one where there is none or it cannot be read. Throws SealError. */
export function deviceOf(credentials: Credentials, now: () => Date): Signing {
  const kept = credentials.read(credentialName)
  const stored: unknown = kept.state === 'kept' ? JSON.parse(kept.secret) : null
  const { device, isNew, signing } = openDevice(stored, now)
  if (isNew) credentials.keep(credentialName, JSON.stringify(device))
  return signing
}
