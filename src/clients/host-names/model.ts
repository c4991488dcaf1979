import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, Text } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

/** Why names are missing; `none`: none are missing, or names are switched off. */
export const hostnamesReasons = [
  'none',
  'noClients',
  'noResolver',
  'noRecords',
  'resolverTimeout',
  'someUnnamed',
  'stillLooking',
  'tooManyClients',
] as const

export const Hostnames = Type.Object({
  enabled: Flag,
  /** Address to name. */
  hostnames: Type.Record(Text, Text),
  reason: stringUnion(hostnamesReasons),
})
export type Hostnames = Static<typeof Hostnames>

export const EnabledBody = Type.Object({
  enabled: Flag,
  /** Whether guests see names too; unchanged when absent. */
  showToGuests: Type.Optional(Nullable(Flag)),
})

export const Enabled = Model('HostnamesEnabled', { enabled: Flag, showToGuests: Flag })

export const ResolveBody = Type.Object({ hostname: Type.Optional(Nullable(Text)) })

export const Resolved = Type.Object({
  hostname: Text,
  addresses: Type.Array(Text),
  reason: stringUnion(['none', 'noRecords', 'noResolver', 'resolverTimeout']),
})
export type Resolved = Static<typeof Resolved>
