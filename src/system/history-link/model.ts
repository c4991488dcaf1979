import { Type, type Static } from '@sinclair/typebox'

/** Ways to go on when the positions of the logs and the history do not belong together. */
export const LinkChoice = Type.Union([
  Type.Literal('takePositions'),
  Type.Literal('goOn'),
  Type.Literal('rebuild'),
])
export type LinkChoice = Static<typeof LinkChoice>

export const LinkBody = Type.Object({ choice: LinkChoice })
export const LinkMended = Type.Object({ choice: LinkChoice })
