import { Type } from '@sinclair/typebox'
import { Int } from '../../../http/schema.ts'

export const LogEntriesCount = Type.Object({ count: Int })
