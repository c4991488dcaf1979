import { normalAddress } from './address.ts'
import { serverText } from './dns-servers.ts'
import { SettingError, type SettingsReader } from './settings-reader.ts'

/** An IPv4 or IPv6 address of the network's cache; null: detected. */
function cacheAddress(read: SettingsReader): string | null {
  const text = read.text('Prefill__LancacheIp')
  if (text === null) return null
  const address = normalAddress(text)
  if (address !== null) return address
  throw new SettingError(
    `Prefill__LancacheIp: ${JSON.stringify(text)} is not valid; allowed: an IP address`,
  )
}

/** Whether the network's DNS leads to the cache. */
export function statusCheckAddresses(read: SettingsReader) {
  const name = 'Prefill__LancacheDnsIp'
  const dns = read.text(name)
  const dnsServer = dns === null ? null : serverText(dns)
  if (dns !== null && dnsServer === null) {
    throw new SettingError(
      `${name}: ${JSON.stringify(dns)} is not valid; allowed: ip, ip:port, [ipv6]:port`,
    )
  }
  return {
    /** Serves archives of branches of GitHub repositories. */
    domainsUrl: read.url('StatusCheck__DomainsUrl', 'https://codeload.github.com'),
    /** Public resolvers with a JSON answer: they know the platforms' real servers. */
    publicDnsUrls: [
      read.url('StatusCheck__CloudflareDnsUrl', 'https://cloudflare-dns.com/dns-query'),
      read.url('StatusCheck__GoogleDnsUrl', 'https://dns.google/resolve'),
    ],
    cacheAddress: cacheAddress(read),
    dnsServer,
  }
}
