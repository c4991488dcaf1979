import { Type } from '@sinclair/typebox'
import { Nullable, Text } from '../../../http/schema.ts'

const optionalText = Type.Optional(Nullable(Text))

/** Missing members are refused by the rules for credentials, not as a malformed request. */
export const OwnerBody = Type.Object({
  username: optionalText,
  password: optionalText,
  apiKey: optionalText,
})
export const KeyBody = Type.Object({ apiKey: optionalText })
