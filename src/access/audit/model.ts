import { Type } from '@sinclair/typebox'
import { Int, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'

/** Names are those of today; null when the account is gone or nobody was signed in. */
export const AuditPage = Model('AuditPage', {
  entries: Type.Array(
    Type.Object({
      id: Int,
      at: Utc,
      event: Text,
      actorAccountId: Nullable(Text),
      actorName: Nullable(Text),
      actorSessionId: Nullable(Text),
      targetAccountId: Nullable(Text),
      targetName: Nullable(Text),
      /** Set for refused sign-ins. */
      address: Nullable(Text),
    }),
  ),
  /** Pass as `before` for older entries; null on the last page. */
  next: Nullable(Int),
})
