import { hostname } from 'node:os'
import { parseAddress } from './remote-address.ts'

/** Names that only the local network resolves, so no foreign site can use them. */
const localSuffix = /\.(?:localhost|local|lan|home\.arpa)$/

/** The name in a `Host` header without port, in lower case; null: not a single host. */
export function hostName(header: string): string | null {
  const match = /^(?:\[([0-9a-f:.]{2,45})\]|([\w.-]{1,255}))(?::\d{1,5})?$/i.exec(header.trim())
  const name = match?.[1] ?? match?.[2]?.replace(/\.$/, '') ?? ''
  return name === '' ? null : name.toLowerCase()
}

/**
 * The host names of this service. A foreign site can let its own name resolve to an address of the
 * local network (DNS rebinding); the browser then takes this service for that site and lets its
 * pages read everything. Addresses and local names cannot be abused like this; others must be
 * listed.
 */
export class OwnHosts {
  readonly #names: ReadonlySet<string>
  readonly #domains: readonly string[]

  /** Entries are names, or `*.domain` for all names below it. */
  constructor(allowedHosts: readonly string[]) {
    const entries = allowedHosts.map((entry) => entry.toLowerCase())
    this.#names = new Set([hostname().toLowerCase(), ...entries])
    this.#domains = entries.filter((entry) => entry.startsWith('*.')).map((entry) => entry.slice(1))
  }

  has(name: string): boolean {
    // A name without a dot is resolved in the local network: `nas`, `localhost`, a container.
    if (!name.includes('.') || parseAddress(name) !== null || localSuffix.test(name)) return true
    return this.#names.has(name) || this.#domains.some((domain) => name.endsWith(domain))
  }
}
