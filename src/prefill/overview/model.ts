import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'
import { PhraseText } from '../../core/lib/schema.ts'
import { platforms } from '../../platforms/platforms.ts'
import { outsideStates } from '../transports/contract.ts'

export const PlatformState = Model('PrefillPlatformState', {
  platform: stringUnion(platforms),
  transport: stringUnion(['builtin', 'container', 'outside']),
  isAvailable: Type.Boolean({ description: 'Whether a session can be started now' }),
  state: stringUnion([...outsideStates, 'noRuntime']),
  problem: Nullable(PhraseText),
  needsLogin: Flag,
  activeSessions: Int,
})
export type PlatformState = Static<typeof PlatformState>

export const PlatformStates = Type.Object({ platforms: Type.Array(PlatformState) })
export type PlatformStates = Static<typeof PlatformStates>
