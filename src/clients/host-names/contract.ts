import type { Hostnames, Resolved } from './model.ts'

export type HostnamesReason = Hostnames['reason']
export type AddressesReason = Resolved['reason']

/** Outcome of looking up an address. */
export type Outcome =
  | { kind: 'name'; name: string }
  /** A resolver answered that there is no (usable) name. */
  | { kind: 'none' }
  /** Resolvers refused or timed out. */
  | { kind: 'failed' }
  | { kind: 'noResolver' }

/** Client names from the local network's DNS. Only private addresses are looked up. */
export interface HostNames {
  isOn(): boolean
  /** Whether a reader may see names; guests only if an account holder allowed it. */
  isShownTo(reader: { role: string | null }): boolean
  /** Drops all cached names. */
  switchTo(state: { isOn: boolean }): void
  /** First label of the name if already known; never waits. */
  labelOf(address: string): string | null
  /** Starts looking up unknown names; an event announces results. */
  prepare(addresses: readonly string[]): void
  /** Waits briefly. Lookups not finished by then continue in the background and are announced. */
  lookUp(
    addresses: readonly string[],
  ): Promise<{ names: Map<string, string>; reason: HostnamesReason }>
  /** Addresses of a name, IPv4 first. */
  resolve(hostname: string): Promise<{ addresses: string[]; reason: AddressesReason }>
}
