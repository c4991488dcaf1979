import type { SettingsReader } from './settings-reader.ts'

/** Services that the status check asks. */
export function statusCheckAddresses(read: SettingsReader) {
  return {
    /** Serves archives of branches of GitHub repositories. */
    domainsUrl: read.url('StatusCheck__DomainsUrl', 'https://codeload.github.com'),
    /** Public resolvers with a JSON answer: they know the platforms' real servers. */
    publicDnsUrls: [
      read.url('StatusCheck__CloudflareDnsUrl', 'https://cloudflare-dns.com/dns-query'),
      read.url('StatusCheck__GoogleDnsUrl', 'https://dns.google/resolve'),
    ],
  }
}
