import { Type, type Static } from '@sinclair/typebox'
import { Nullable, Text, Utc } from '../../core/http/schema.ts'

export const SavedView = Type.Object({
  id: Text,
  name: Text,
  /** Its page, as in the URL: `downloads`. */
  page: Text,
  /** The URL's query, without a question mark. */
  query: Text,
  createdAtUtc: Utc,
  updatedAtUtc: Utc,
})
export type SavedView = Static<typeof SavedView>

const optionalText = Type.Optional(Nullable(Text))

export const SavedViewBody = Type.Object({
  name: optionalText,
  page: optionalText,
  query: optionalText,
})
export type SavedViewBody = Static<typeof SavedViewBody>
