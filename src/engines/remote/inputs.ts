import { Type, type TSchema } from '@sinclair/typebox'
import { Flag, LargeInt, Nullable, Num, stringUnion } from '../../core/lib/schema.ts'
import { platforms } from '../../platforms/platforms.ts'
import { maxFilterEntries } from '../logs/changes/line-filter.ts'

/* Inputs of the jobs that a service may ask a node for. */

export const LongText = Type.String({ maxLength: 4000 })
export const Name = Type.String({ maxLength: 200 })
export const Datasource = Nullable(Name)
export const listOf = <T extends TSchema>(schema: T, maxItems: number) =>
  Type.Array(schema, { maxItems })

export const cacheFileName = /^[0-9a-f]{32}$/
const Digest = Type.String({ pattern: cacheFileName.source })
const Scheme = stringUnion(['monolithic', 'bare_metal'])
export const Methods = stringUnion(['preserve', 'full', 'rsync'])

export const Period = {
  logPath: LongText,
  timeZone: LongText,
  fromS: Num,
  toS: Num,
  bytesMax: Type.Optional(LargeInt),
}
export const Keys = { scheme: Scheme, sliceBytes: LargeInt }
export const Tail = { ...Period, ...Keys }
export const LogFile = Type.Object({
  stem: Name,
  name: LongText,
  path: LongText,
  compression: stringUnion(['none', 'gzip', 'zstd']),
  device: Name,
  inode: Name,
  size: Num,
  modifiedMs: Num,
  order: Type.Tuple([Num, Type.String({ maxLength: 200 })]),
})
export const FileCount = Type.Object({
  size: Num,
  modifiedMs: Num,
  offset: LargeInt,
  isInsideLongLine: Flag,
  head: Type.Uint8Array(),
  tail: Type.Uint8Array(),
  services: listOf(Type.Tuple([LongText, Num]), 10_000),
  otherLines: Num,
  unreadableLines: Num,
  problem: Nullable(Name),
  isComplete: Flag,
})
const Observation = Type.Object({
  at: Num,
  client: LongText,
  tag: LongText,
  method: Name,
  target: Type.String(),
  status: Num,
  bytes: Num,
  cache: stringUnion(['hit', 'miss', 'none']),
  host: LongText,
  range: LongText,
})
export const Filter = Type.Union([
  Type.Object({ kind: Type.Literal('service'), service: LongText }),
  Type.Object({
    kind: Type.Literal('titles'),
    service: LongText,
    titleKeys: listOf(LongText, maxFilterEntries),
  }),
  Type.Object({
    kind: Type.Literal('objects'),
    objects: listOf(Type.Object({ tag: LongText, path: Type.String() }), maxFilterEntries),
  }),
  Type.Object({
    kind: Type.Literal('observations'),
    observations: listOf(Observation, maxFilterEntries),
  }),
])
const Amount = Nullable(Type.Integer({ minimum: 1, maximum: 1_048_576 }))
export const Retention = Type.Object({
  policy: Type.Object({
    rotateAboveMib: Amount,
    rotateAfterDays: Amount,
    compresses: Flag,
    keepDays: Amount,
    keepGib: Amount,
  }),
  canRotate: Flag,
})
export const Runs = listOf(
  Type.Object({
    mark: Name,
    platform: stringUnion(platforms),
    addresses: listOf(Name, 1000),
    startedAt: Num,
    endedAt: Nullable(Num),
  }),
  10_000,
)
export const Candidates = listOf(
  Type.Object(
    {
      id: LongText,
      datasource: Name,
      service: LongText,
      exactPaths: listOf(LongText, 10_000),
      evidence: Type.Object({ kind: stringUnion(['structural', 'repeated_miss']) }),
    },
    { additionalProperties: true },
  ),
  10_000,
)
export const Content = Type.Object({
  id: LargeInt,
  datasource: Name,
  tag: LongText,
  sampleUris: listOf(Type.String(), 100),
})
export const ObjectName = {
  datasource: Name,
  tag: LongText,
  path: Type.String(),
  target: Type.String(),
}
export const Selection = Type.Union([
  Type.Object({
    kind: Type.Literal('contents'),
    contentIds: listOf(LargeInt, 1_000_000),
  }),
  Type.Object({
    kind: Type.Literal('files'),
    files: listOf(Type.Object({ datasource: Name, digest: Digest }), 1_000_000),
  }),
])
