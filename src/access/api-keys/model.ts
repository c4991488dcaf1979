import { Type } from '@sinclair/typebox'
import { Flag, Text } from '../../core/http/schema.ts'

export const KeyStatus = Type.Object({ hasApiKey: Flag, keyType: Text, hasPrimaryKey: Flag })

export const FreshKey = Type.Object({
  success: Flag,
  apiKey: Text,
  message: Text,
  warning: Text,
})
