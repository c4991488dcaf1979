import { RateLimit, wrongSecrets } from '../../core/http/rate-limit.ts'
import type { RemoteAddress } from '../../core/http/remote-address.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { presentedKey, type InstallationKey } from './installation-key.ts'

interface KeyParts {
  key: InstallationKey
  address: RemoteAddress
  clock: Clock
  /** Called for every wrong key. */
  wrong: (request: Request) => void
}

/** Checks the installation key in request headers and rate-limits guessing. */
export class KeyCheck {
  readonly #key: InstallationKey
  readonly #address: RemoteAddress
  readonly #limit: RateLimit
  readonly #wrong: (request: Request) => void

  constructor(parts: KeyParts) {
    this.#key = parts.key
    this.#address = parts.address
    this.#limit = new RateLimit(wrongSecrets, parts.clock)
    this.#wrong = parts.wrong
  }

  /**
   * Whether the key is correct; null without one. Throws 429 after ten wrong keys a minute from one
   * address, even for the correct key.
   */
  check(request: Request, options: { bearer: boolean }): boolean | null {
    const presented = presentedKey(request, options)
    if (presented === null) return null
    const from = this.#address.of(request)
    this.#limit.check(from)
    if (this.#key.matches(presented)) return true
    this.#wrong(request)
    this.#limit.take(from)
    return false
  }
}
