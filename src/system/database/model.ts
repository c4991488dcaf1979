import { Type } from '@sinclair/typebox'
import { Int } from '../../core/http/schema.ts'

export const LogEntriesCount = Type.Object({ count: Int })
