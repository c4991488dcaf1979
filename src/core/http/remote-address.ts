import ipaddr from 'ipaddr.js'

/** The part of the HTTP server that knows a connection's remote address. */
export interface PeerSource {
  requestIP(request: Request): { address: string } | null
}

export interface ProxyRules {
  knownProxyNetworks: readonly string[]
  trustAllProxies: boolean
}

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Entries of a forwarded header that are read; a longer list is not a chain of proxies. */
const forwardedMax = 32

/** Without a listening server (tests call the application directly) the caller is this machine. */
const localAddress = '127.0.0.1'

/** Normalises an address: IPv4-mapped IPv6 becomes IPv4, zone ids are dropped. */
export function parseAddress(text: string): Address | null {
  let bare = text.trim().replace(/^"|"$/g, '')
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(bare)
  if (bracketed !== null) bare = bracketed[1] ?? ''
  else if (/^\d+\.\d+\.\d+\.\d+:\d+$/.test(bare)) bare = bare.slice(0, bare.lastIndexOf(':'))
  bare = bare.replace(/%.*$/, '')
  // Proxies never write short IPv4 forms such as `1` or `0x7f.1`.
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return null
  return ipaddr.process(bare)
}

/** The address as limits count it: one household has 2^64 IPv6 addresses, which share a budget. */
export function householdOf(address: string | null): string | null {
  if (address === null) return null
  const parsed = parseAddress(address)
  if (parsed === null || parsed.kind() === 'ipv4') return address
  return parsed.toByteArray().slice(0, 8).join('.')
}

/** The real remote address of a request; trusts forwarded headers of trusted proxies only. */
export class RemoteAddress {
  readonly #networks: [Address, number][]
  readonly #trustsAll: boolean
  #server: PeerSource | null = null

  constructor({ knownProxyNetworks, trustAllProxies }: ProxyRules) {
    this.#networks = knownProxyNetworks.map((network) => ipaddr.parseCIDR(network))
    this.#trustsAll = trustAllProxies
  }

  /** Call once the server listens. */
  attach(server: PeerSource): void {
    this.#server = server
  }

  /** Null: the caller uses a Unix socket and has no address. */
  of(request: Request): string | null {
    const peer = this.#peer(request)
    const address = peer === null ? null : parseAddress(peer)
    if (address === null) return peer
    if (!this.#isTrusted(address)) return address.toString()
    return this.#forwarded(request, address).toString()
  }

  /** Whether the browser used HTTPS, directly or up to a trusted proxy. */
  isSecure(request: Request): boolean {
    if (request.url.startsWith('https:')) return true
    const scheme = request.headers.get('x-forwarded-proto')?.split(',', 1)[0]?.trim().toLowerCase()
    return scheme === 'https' && this.#isFromProxy(request)
  }

  /** Hosts in `X-Forwarded-Host` of a trusted proxy; ignores other callers. */
  forwardedHosts(request: Request): string[] {
    const header = request.headers.get('x-forwarded-host')
    if (header === null || !this.#isFromProxy(request)) return []
    return header.split(',', forwardedMax)
  }

  /** Whether a trusted proxy forwarded the request; a Unix socket counts as one. */
  #isFromProxy(request: Request): boolean {
    const peer = this.#peer(request)
    const address = peer === null ? null : parseAddress(peer)
    return address === null || this.#isTrusted(address)
  }

  #peer(request: Request): string | null {
    if (this.#server === null) return localAddress
    return this.#server.requestIP(request)?.address ?? null
  }

  /** From the nearest hop backwards: the first address that is not one of our proxies. */
  #forwarded(request: Request, peer: Address): Address {
    const chain = request.headers.get('x-forwarded-for')?.split(',').slice(-forwardedMax) ?? []
    let nearest = peer
    for (const entry of chain.toReversed()) {
      const address = parseAddress(entry)
      if (address === null) return nearest
      nearest = address
      if (!this.#isTrusted(address)) return nearest
    }
    return nearest
  }

  #isTrusted(address: Address): boolean {
    if (this.#trustsAll || address.range() === 'loopback') return true
    return this.#networks.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
    )
  }
}
