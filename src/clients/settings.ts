import { Type } from '@sinclair/typebox'
import { Nullable } from '../core/lib/schema.ts'
import { flag, rule } from '../core/settings/rules.ts'
import { queryLogKinds } from './bypass/query-log.ts'

const QueryLog = Type.Object({
  kind: Type.Union(queryLogKinds.map((kind) => Type.Literal(kind))),
  url: Type.String(),
  user: Type.String(),
})

/** Settings of this group, with their form and their default. */
export const clientsSettings = {
  'clients.hasHostnames': flag(false),
  'clients.showsHostnamesToGuests': flag(false),
  /** The DNS server whose query log is read; null: none. */
  'clients.queryLog': rule(Nullable(QueryLog), null),
  /** By address, the state in which a client that bypasses the cache was dismissed. */
  'clients.dismissedBypass': rule(Type.Record(Type.String(), Type.String()), {}),
}
