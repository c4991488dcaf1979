import { createRateLimit, wrongSecrets } from '../../core/http/rate-limit.ts'
import type { RemoteAddress } from '../../core/http/remote-address.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { presentedKey, type InstallationKey } from './installation-key.ts'

interface KeyParts {
  key: InstallationKey
  address: RemoteAddress
  clock: Clock
  wrong: (request: Request) => void
}

export type KeyCheck = ReturnType<typeof createKeyCheck>

/** Checks the installation key in request headers and rate-limits guessing. */
export function createKeyCheck(parts: KeyParts) {
  const key = parts.key
  const address = parts.address
  const limit = createRateLimit(wrongSecrets, parts.clock)
  const wrong = parts.wrong

  return {
    /**
     * Whether the key is correct; null without one. Throws 429 after ten wrong keys a minute from one
     * address, even for the correct key.
     */
    check(request: Request, options: { bearer: boolean }): boolean | null {
      const presented = presentedKey(request, options)
      if (presented === null) return null
      const from = address.of(request)
      limit.check(from)
      if (key.matches(presented)) return true
      wrong(request)
      limit.take(from)
      return false
    },
  }
}
