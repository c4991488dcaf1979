import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'

export const UpdatesBody = Model('UpdatesBody', {
  /** Where the releases are published; null forgets it. */
  address: Nullable(Type.String({ maxLength: 500 })),
  isAllowed: Flag,
})
export type UpdatesBody = Static<typeof UpdatesBody>

export const UpdateResult = Type.Object({
  checkedAtUtc: Utc,
  /** The newest release; null: the answer named none. */
  version: Nullable(Text),
  /** Its page. */
  url: Nullable(Text),
  error: Nullable(Text),
})
export type UpdateResult = Static<typeof UpdateResult>

export const Updates = Model('Updates', {
  address: Nullable(Text),
  isAllowed: Flag,
  current: Text,
  /** The newest release is newer than what runs. */
  isAvailable: Flag,
  last: Nullable(UpdateResult),
})
export type Updates = Static<typeof Updates>
