/** Why names are missing; `none`: nothing is missing, or names are switched off. */
export type HostnamesReason =
  | 'none'
  | 'noClients'
  | 'noResolver'
  | 'noRecords'
  | 'resolverTimeout'
  | 'someUnnamed'
  | 'stillLooking'
  | 'tooManyClients'

export type AddressesReason = 'none' | 'noRecords' | 'noResolver' | 'resolverTimeout'

/** How a search for the name of an address ended. */
export type Outcome =
  | { kind: 'name'; name: string }
  /** A resolver said that there is no (fit) name. */
  | { kind: 'none' }
  /** Resolvers refused or did not answer in time. */
  | { kind: 'failed' }
  | { kind: 'noResolver' }

/** Names of client addresses from the DNS of the local network. Only private ones are looked up. */
export interface HostNames {
  isOn(): boolean
  /** Whether a reader may see names; guests only when an account holder allowed it. */
  isShownTo(reader: { role: string | null }): boolean
  /** What was learnt so far is forgotten. */
  switchTo(state: { isOn: boolean }): void
  /** First label of the name, when it is known already; never waits. */
  labelOf(address: string): string | null
  /** Begins to look for names that are not known; an event announces what was found. */
  prepare(addresses: readonly string[]): void
  /** Waits for a short time. What is not found by then goes on behind and is announced. */
  lookUp(
    addresses: readonly string[],
  ): Promise<{ names: Map<string, string>; reason: HostnamesReason }>
  /** Addresses of a name, IPv4 first. */
  resolve(hostname: string): Promise<{ addresses: string[]; reason: AddressesReason }>
}
