import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, Text } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/lib/schema.ts'

export const ThemeInfo = Model('ThemeInfo', {
  id: Text,
  name: Text,
  description: Text,
  author: Text,
  version: Text,
  isDefault: Flag,
  format: stringUnion(['toml', 'json']),
})
export type ThemeInfo = Static<typeof ThemeInfo>

export const ThemePreference = Model('ThemePreference', {
  themeId: Text,
  success: Flag,
  message: Nullable(Text),
})
export const GuestThemeBody = Type.Object({ themeId: Type.Optional(Nullable(Text)) })

export const ThemeUploaded = Type.Object({ success: Flag, themeId: Text, message: Text })

export const ThemesCleaned = Type.Object({
  success: Flag,
  message: Text,
  deletedThemes: Type.Array(Text),
  errors: Type.Array(Text),
  remainingThemes: Type.Array(Text),
})
export type ThemesCleaned = Static<typeof ThemesCleaned>

export const ThemeDeleted = Type.Object({
  success: Flag,
  message: Text,
  filesDeleted: Type.Array(Text),
  errors: Type.Array(Text),
})
export type ThemeDeleted = Static<typeof ThemeDeleted>

export const ThemeMissing = Type.Object({
  error: Text,
  details: Type.Optional(Text),
  availableThemes: Type.Optional(Type.Array(Text)),
})
