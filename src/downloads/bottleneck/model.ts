import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'
import { sides, verdicts, withoutVerdict } from './judge.ts'

const Speed = Model('BottleneckSpeed', {
  bytesPerSecond: Num,
  /** Requests under way at a time, and the speed of one; null in logs without times of requests. */
  connections: Nullable(Num),
  requestBytesPerSecond: Nullable(Num),
})

const Share = Type.Number({ minimum: 0, description: '0 to 1' })

const members = {
  verdict: stringUnion(verdicts),
  /** Why there is no verdict, with `notEnoughData`. */
  reason: Nullable(stringUnion(withoutVerdict)),
  /** The part of the way that was judged: to the cache, or from it. */
  side: stringUnion(sides),
  /** The part of its time that was examined. */
  fromUtc: Utc,
  toUtc: Utc,
  /** The format of the log states how long each request took. */
  hasRequestTimes: Flag,
  /** Why some or all logs could not be read. */
  problem: Nullable(Text),
  seconds: Num,
  bytes: Int,
  requests: Int,
  internetShare: Share,
  expiredShare: Share,
  originShare: Nullable(Share),
  own: Speed,
  client: Speed,
  otherClient: Nullable(Speed),
  otherTitle: Nullable(Speed),
  internetBytesPerSecond: Num,
  lineBytesPerSecond: Nullable(Num),
  bestCacheBytesPerSecond: Nullable(Num),
  clientBestBytesPerSecond: Nullable(Num),
  otherClientBestBytesPerSecond: Nullable(Num),
  disk: Nullable(Type.Object({ busy: Nullable(Share), waiting: Nullable(Share) })),
}

export const Bottleneck = Model('Bottleneck', members)
export type Bottleneck = Static<typeof Bottleneck>

export const BottleneckNow = Model('BottleneckNow', {
  /** Of the downloads with this verdict, the one with the most bytes; null: nothing runs. */
  download: Nullable(Type.Object({ clientIp: Text, service: Text, ...members })),
})
