import { Type } from '@sinclair/typebox'
import ipaddr from 'ipaddr.js'
import { normalAddress } from '../../core/lib/address.ts'
import { askJson } from '../../core/lib/outside-json.ts'
import type { SystemParts } from '../parts.ts'

const timeoutMs = 4000
const recordTypes = [1, 28] as const

/** Answer of a resolver over HTTPS, in the JSON form of Google and Cloudflare. */
const DnsAnswer = Type.Object({
  Status: Type.Integer(),
  Answer: Type.Optional(Type.Array(Type.Object({ type: Type.Integer(), data: Type.String() }))),
})

type Parts = Pick<SystemParts, 'config' | 'outside'>

const isPublic = (address: string) => ipaddr.parse(address).range() === 'unicast'

async function ask({ outside }: Parts, baseUrl: string, query: { name: string; type: number }) {
  const url = `${baseUrl}?name=${encodeURIComponent(query.name)}&type=${query.type}`
  const headers = { accept: 'application/dns-json' }
  const { value } = await askJson(outside, { url, headers, timeoutMs, attempts: 1 }, DnsAnswer)
  const records = (value?.Answer ?? []).filter(({ type }) => type === query.type)
  return records.flatMap(({ data }) => normalAddress(data) ?? []).filter(isPublic)
}

/** Public addresses of a name, past the network's own DNS; null when no resolver answers. */
export async function publicAddresses(parts: Parts, name: string): Promise<string[] | null> {
  const found = new Set<string>()
  let answers = 0
  for (const baseUrl of parts.config.statusCheck.publicDnsUrls) {
    for (const type of recordTypes) {
      const addresses = await ask(parts, baseUrl, { name, type }).catch(() => null)
      if (addresses === null) break
      answers++
      for (const address of addresses) found.add(address)
    }
  }
  return answers === 0 ? null : [...found]
}
