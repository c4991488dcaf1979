import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'
import { sharePageNames } from '../../core/lib/share-pages.ts'

/** A link ends by itself after 90 days at most. */
export const hoursMax = 90 * 24

const page = stringUnion(sharePageNames)

export const ShareLinkBody = Model('ShareLinkBody', {
  page,
  subject: Type.String({ maxLength: 20, description: 'Id of the event that the page is about' }),
  label: Type.Optional(Type.String({ maxLength: 100 })),
  /** How long the link works. */
  hours: Type.Integer({ minimum: 1, maximum: hoursMax }),
  showsNames: Type.Optional(Type.Boolean({ description: 'Whether the page names devices' })),
})

/** A link as its owner wants it. */
export type NewLink = Required<Static<typeof ShareLinkBody>>

export const ShareLinkView = Model('ShareLink', {
  id: Text,
  page,
  subject: Text,
  label: Text,
  showsNames: Flag,
  createdAtUtc: Utc,
  expiresAtUtc: Utc,
  lastUsedAtUtc: Nullable(Utc),
})
export type ShareLinkView = Static<typeof ShareLinkView>

export const ShareLinkList = Type.Object({ items: Type.Array(ShareLinkView) })
/** The token is only in this answer; the link is `/s#<token>`. */
export const CreatedShareLink = Model('CreatedShareLink', {
  token: Text,
  ...ShareLinkView.properties,
})
export type CreatedShareLink = Static<typeof CreatedShareLink>

/** What the caller's link opens. */
export const OwnShareLink = Model('OwnShareLink', {
  page,
  subject: Text,
  label: Text,
  showsNames: Flag,
  expiresAtUtc: Utc,
})
export type OwnShareLink = Static<typeof OwnShareLink>
