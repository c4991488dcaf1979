import { Type, type Static } from '@sinclair/typebox'
import { Model, Nullable, Text, Utc } from '../../core/http/schema.ts'

export const SavedView = Model('SavedView', {
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

export const SavedViewBody = Model('SavedViewBody', {
  name: optionalText,
  page: optionalText,
  query: optionalText,
})
export type SavedViewBody = Static<typeof SavedViewBody>
