import { normalAddress } from '../../core/lib/address.ts'

/** Addresses kept of one name. */
const addressesMax = 16
const pattern = /(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:.]+)(?![\w.])/gi

/** Addresses in the output of nslookup, getent or ping, without that of the DNS server. */
export function addressesIn(output: string): string[] {
  // nslookup names its server in a paragraph of its own, before the answers.
  const answers = /^\s*server:/im.test(output) ? output.replace(/^[\s\S]*?\n\s*\n/, '') : output
  const found = [...answers.matchAll(pattern)].map(([text]) => normalAddress(text))
  return [...new Set(found.filter((address) => address !== null))].slice(0, addressesMax)
}
