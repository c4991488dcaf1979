import { Type, type Static } from '@sinclair/typebox'
import { Flag, LargeInt, Nullable, Num, stringUnion } from '../../core/lib/schema.ts'
import { rowLimits } from './row-limits.ts'

/*
 * Rows and calls as a node sends them to the history of its service. Workers import only types from
 * here, so that they do not load TypeBox. Times are Unix seconds, sizes bytes.
 */

const textOf = (maxLength: number) => Type.String({ maxLength })
const Id = textOf(100)
/** Rows of a kind in one batch; the outbox seals far fewer. */
const rowsMax = 50_000
const listOf = <T extends Parameters<typeof Type.Array>[0]>(schema: T, maxItems = rowsMax) =>
  Type.Array(schema, { maxItems })

const named = {
  datasource: textOf(rowLimits.datasource),
  service: textOf(rowLimits.service),
  client: textOf(rowLimits.client),
  titleKey: textOf(rowLimits.titleKey),
  isPrefill: Flag,
  hitBytes: LargeInt,
  missBytes: LargeInt,
  requests: LargeInt,
}
const strict = { additionalProperties: false }
const Download = Type.Object(
  {
    ...named,
    id: LargeInt,
    tag: textOf(1000),
    startedAt: Num,
    endedAt: Num,
    lastUrl: textOf(rowLimits.url * 2),
    objectKeys: listOf(textOf(rowLimits.url * 4), 100),
    revision: LargeInt,
  },
  strict,
)
export type DownloadRow = Static<typeof Download>

/** Its `requests` are those that were served. */
const Traffic = Type.Object(
  {
    ...named,
    bucketAt: LargeInt,
    failedRequests: LargeInt,
    downloads: LargeInt,
    firstAt: Num,
    lastAt: Num,
  },
  strict,
)
export type TrafficRow = Static<typeof Traffic>

/** A position of `hot.sqlite` as of a batch: its row as JSON, or null when it is gone. */
const Change = Type.Object(
  {
    kind: stringUnion(['member', 'skipped', 'open']),
    // Below the first position of the next slot.
    id: Type.Integer({ minimum: 0, maximum: 2 ** 50 - 1 }),
    fields: Nullable(textOf(100_000)),
  },
  strict,
)
export type PositionChange = Static<typeof Change>

const Place = { installation: Id, seq: LargeInt }
/** The batch's place in the sequence, and the positions up to which it completes it. */
const BatchLink = Type.Object(
  {
    ...Place,
    epoch: LargeInt,
    /**
     * Null or partial: a later batch has the rest; until then the history does not know where to
     * continue.
     */
    positions: Nullable(
      Type.Object({ facts: textOf(8_000_000), changes: listOf(Change), isPartial: Flag }, strict),
    ),
  },
  strict,
)
export type BatchLink = Static<typeof BatchLink>

/**
 * What is sent to the history in one transaction. Downloads are full states, the newest revision
 * wins; traffic rows are additions, added once per batch id.
 */
const Batch = Type.Object(
  {
    batchId: Id,
    downloads: listOf(Download),
    traffic: listOf(Traffic),
    /**
     * Written in the same transaction. Every number must reach the history, even when rows of the
     * batch cannot; of a divided batch, it is sent with the last part.
     */
    link: Type.Optional(BatchLink),
  },
  strict,
)
export type ShipBatch = Static<typeof Batch>

/** What a node asks of the history. */
export const HistoryCall = Type.Union([
  Type.Object({ name: stringUnion(['side', 'prune']) }, strict),
  Type.Object(
    {
      name: Type.Literal('beginLink'),
      begun: Type.Object({ ...Place, batchId: Nullable(Id) }, strict),
    },
    strict,
  ),
  Type.Object({ name: Type.Literal('takePositions'), installation: Id }, strict),
  Type.Object({ name: Type.Literal('empty'), installation: Id, forgetsTitles: Flag }, strict),
  Type.Object({ name: Type.Literal('ship'), batch: Batch }, strict),
])
export type HistoryCall = Static<typeof HistoryCall>
