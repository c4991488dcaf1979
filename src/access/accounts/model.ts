import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { SessionType } from '../sign-in/model.ts'

const optionalText = Type.Optional(Nullable(Text))

export const Account = Model('Account', {
  id: Text,
  username: Text,
  role: SessionType,
  isMainAdmin: Flag,
  isDisabled: Flag,
  createdAtUtc: Utc,
  lastLoginAtUtc: Nullable(Utc),
})
export type Account = Static<typeof Account>

export const NewAccount = Type.Object({
  username: optionalText,
  password: optionalText,
  role: SessionType,
})
export type NewAccount = Static<typeof NewAccount>

/** The name is always required; the password changes only when one is given. */
export const AccountChange = Type.Object({ username: optionalText, password: optionalText })
export type AccountChange = Static<typeof AccountChange>

export const DisabledBody = Type.Object({ disabled: Flag })
export const RoleBody = Type.Object({ role: SessionType })
