import { Type, type Static } from '@sinclair/typebox'
import { Int, Model, Nullable, Num, Text, TextOf, Utc } from '../../core/lib/schema.ts'

/*
 * What the cache engine reports and the API answers, in one declaration. Workers import only types
 * from here, so that they do not load TypeBox.
 */

/** The index of one cache; figures are those of the last complete walk. */
export const IndexState = Model('IndexState', {
  datasource: Text,
  /**
   * Another datasource with the same directory, which these figures belong to. Sums include only
   * trees where this is null.
   */
  sharedWith: Nullable(Text),
  state: TextOf<'new' | 'walking' | 'complete' | 'failed'>(),
  /** Why the last walk failed or changed nothing, as text. */
  problem: Nullable(Text),
  /** The same for translated pages, with its values. */
  problemKey: Nullable(Text),
  problemContext: Nullable(Type.Record(Text, Type.Union([Text, Num]))),
  files: Int,
  bytes: Int,
  directories: Int,
  hexDirectories: Int,
  sliceBytes: Int,
  walkedAt: Nullable(Utc),
  walkMs: Int,
})
export type IndexState = Static<typeof IndexState>
