import { Type } from '@sinclair/typebox'
import { Int, Nullable, Text, Utc } from '../../core/http/schema.ts'

/** Names are those of today; null when the account is gone or nobody was signed in. */
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
      /** Of refused sign-ins. */
      address: Nullable(Text),
    }),
  ),
  /** Pass as `before` for older entries; null at the end. */
  next: Nullable(Int),
})
