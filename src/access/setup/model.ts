import { Type } from '@sinclair/typebox'
import { Flag, Int, Nullable, Text } from '../../core/http/schema.ts'

const optionalText = Type.Optional(Nullable(Text))

/** The credential rules refuse missing members, so they are not a malformed request. */
export const OwnerBody = Type.Object({
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
