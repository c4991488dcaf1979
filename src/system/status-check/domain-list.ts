import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { CacheDomainService } from './model.ts'

/** The list of host names that LAN caches answer, as github.com/uklans/cache-domains keeps it. */

export const manifestName = 'cache_domains.json'
/** The real list has 26 services and about 120 names. */
const servicesMax = 200
const filesMax = 50
const domainsMax = 5000

const Facts = Type.Object({
  description: Type.Optional(Type.String()),
  domain_files: Type.Array(Type.String(), { maxItems: filesMax }),
})
const Named = Type.Composite([Facts, Type.Object({ name: Type.String() })])
const Files = Type.Array(Type.String(), { maxItems: filesMax })
const List = Type.Array(Named, { maxItems: servicesMax })
const Table = Type.Record(Type.String(), Type.Union([Facts, Files]), {
  maxProperties: servicesMax,
})

const tableEntry = (name: string, value: Static<typeof Facts> | string[]) =>
  Array.isArray(value) ? { name, domain_files: value } : { name, ...value }

/** Accepts a list of services, and tables by name of services or of their files. */
function entriesOf(manifest: unknown): Static<typeof Named>[] {
  const outer = Type.Object({ cache_domains: Type.Unknown() })
  const inner = Value.Check(outer, manifest) ? manifest.cache_domains : manifest
  if (Value.Check(List, inner)) return inner
  if (!Value.Check(Table, inner)) return []
  return Object.entries(inner).map(([name, value]) => tableEntry(name, value))
}

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

/** A host name in lower case, with or without a leading `*.`; null for anything else. */
export function hostName(text: string): string | null {
  const name = text.trim().toLowerCase().replace(/\.$/, '')
  const labels = name.replace(/^\*\./, '').split('.')
  const isValid = name.length <= 253 && labels.length > 1 && labels.every((one) => label.test(one))
  return isValid ? name : null
}

/** One name per line; `#` begins a comment. */
const namesIn = (text: string): string[] =>
  text.split(/\r?\n/).flatMap((line) => hostName(line.replace(/(?:^|\s)#.*$/, '')) ?? [])

/**
 * Services and their host names; `read` returns a file of the list, or null. Empty without a valid
 * manifest or without any host name.
 */
export function readDomainList(read: (file: string) => string | null): CacheDomainService[] {
  let manifest: unknown = null
  try {
    manifest = JSON.parse(read(manifestName) ?? 'null')
  } catch {
    // Handled like any other form.
  }
  let left = domainsMax
  return entriesOf(manifest).flatMap(({ name, description = '', domain_files: files }) => {
    const names = new Set(files.flatMap((file) => namesIn(read(file) ?? '')))
    const domains = [...names].slice(0, left)
    left -= domains.length
    return domains.length === 0 ? [] : [{ name, description, domains }]
  })
}
