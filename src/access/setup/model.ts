import { Type } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Text } from '../../core/http/schema.ts'

const optionalText = Type.Optional(Nullable(Text))

/** Missing members are refused by the rules for credentials, not as a malformed request. */
export const OwnerBody = Model('OwnerBody', {
  username: optionalText,
  password: optionalText,
  apiKey: optionalText,
})
export const KeyBody = Type.Object({ apiKey: optionalText })

export const CredentialsBody = Type.Object({ username: optionalText, password: optionalText })
export const ExternalBody = Type.Object({
  host: optionalText,
  port: Type.Optional(Nullable(Int)),
  database: optionalText,
  username: optionalText,
  password: optionalText,
})
export const ExternalStored = Type.Object({ success: Flag, message: Text, restartRequired: Flag })
