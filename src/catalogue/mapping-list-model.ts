import { Type, type Static } from '@sinclair/typebox'
import { t } from 'elysia'
import { Flag, Text } from '../core/http/schema.ts'

const rows = (description: string) =>
  t.Optional(t.Integer({ minimum: 0, maximum: 2_147_483_647, description }))

/** Part of a list. */
export const Page = t.Object({
  skip: rows('Rows left out at the beginning'),
  take: rows('Rows at most; all by default'),
})
export type Page = Static<typeof Page>

export const SearchQuery = t.Object({
  q: t.String({ maxLength: 200, description: 'Any part of the name; at least two characters' }),
})

/** The refresh that was started, or the run that was active already. */
export const RefreshStarted = Type.Object({ operationId: Text, alreadyRunning: Flag })
