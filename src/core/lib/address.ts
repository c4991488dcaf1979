import ipaddr from 'ipaddr.js'

/** Longest accepted spelling of an address. */
export const addressCharsMax = 64

/**
 * Normalises an address as in the logs: IPv4-mapped IPv6 becomes IPv4, IPv6 is compressed and lower
 * case, zone ids are dropped. Null: not an address.
 */
export function normalAddress(text: string): string | null {
  const bare = text.trim().replace(/%.*$/, '')
  if (bare.length > addressCharsMax) return null
  // Short IPv4 forms such as `10.1` or `0x7f.1` are typing mistakes here.
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return null
  return ipaddr.process(bare).toString()
}

/** Whether an address is in one of these networks, given as addresses and CIDR networks. */
export function networkMatcher(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.map((text) =>
    text.includes('/') ? ipaddr.parseCIDR(text) : ([ipaddr.process(text), null] as const),
  )
  return (text) => {
    const normal = normalAddress(text)
    if (normal === null) return false
    const address = ipaddr.parse(normal)
    return ranges.some(([network, bits]) => {
      if (network.kind() !== address.kind()) return false
      return address.match(network, bits ?? (network.kind() === 'ipv4' ? 32 : 128))
    })
  }
}

/** Ranges of a home or party network; overlay networks use 100.64/10. */
const privateRanges = new Set(['private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat'])

/** False for public addresses, loopback and anything else. */
export function isPrivateAddress(text: string): boolean {
  const address = normalAddress(text)
  return address !== null && privateRanges.has(ipaddr.parse(address).range())
}

/** Whether it is this machine's own. */
export function isLoopbackAddress(text: string): boolean {
  const address = normalAddress(text)
  return address !== null && ipaddr.parse(address).range() === 'loopback'
}

/** Whether it leads out of this network: not private, not this machine, and not a blocked name's. */
export function isOutsideAddress(text: string): boolean {
  const address = normalAddress(text)
  if (address === null) return false
  const range = ipaddr.parse(address).range()
  return !privateRanges.has(range) && range !== 'loopback' && range !== 'unspecified'
}
