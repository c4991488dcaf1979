import { Type } from '@sinclair/typebox'
import { Int, Nullable, Text, Utc } from '../../core/http/schema.ts'

/** Current names; null when the account is deleted or the caller was not signed in. */
export const AuditPage = Type.Object({
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
