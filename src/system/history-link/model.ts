import { Type, type Static } from '@sinclair/typebox'

/** Ways to continue when the log positions do not match the history. */
export const LinkChoice = Type.Union([
  Type.Literal('takePositions'),
  Type.Literal('goOn'),
  Type.Literal('rebuild'),
])
export type LinkChoice = Static<typeof LinkChoice>

export const LinkBody = Type.Object({ choice: LinkChoice })
export const LinkMended = Type.Object({ choice: LinkChoice })
