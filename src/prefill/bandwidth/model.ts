import { Type, type Static } from '@sinclair/typebox'
import { Flag, LargeInt, Model, Nullable, Utc } from '../../core/http/schema.ts'
import { Bandwidth } from './limits.ts'

export const BandwidthState = Model('PrefillBandwidth', {
  ...Bandwidth.properties,
  current: Type.Object(
    { bytesPerSecond: Nullable(LargeInt), isPaused: Flag },
    { description: 'What applies now, by the windows' },
  ),
  volumeUsedUntilUtc: Nullable(
    Utc,
    'Runs pause until then because the line’s monthly volume is used; else null',
  ),
  runs: Type.Integer({ description: 'Running prefills that share it' }),
})
export type BandwidthState = Static<typeof BandwidthState>

export const BandwidthBody = Type.Object({
  bytesPerSecond: Type.Optional(Bandwidth.properties.bytesPerSecond),
  isPaused: Type.Optional(Bandwidth.properties.isPaused),
  windows: Type.Optional(Bandwidth.properties.windows),
})
export type BandwidthBody = Static<typeof BandwidthBody>
