import { expect, test } from 'bun:test'
import type { EventName, PayloadOf } from '../../core/live/events.ts'

type IsEvent<N extends string> = N extends EventName ? true : false
type Fits<D, E extends EventName> = D extends PayloadOf<E> ? true : false

test('an event with another name or payload does not compile', () => {
  const known: IsEvent<'BetaPrefillProgress'> = true
  const misspelt: IsEvent<'BetaPrefilProgress'> = false
  const withoutPrefix: IsEvent<'AlphaPrefillProgress'> = false
  const whole: Fits<{ sessionId: string; authState: 'LoggingIn' }, 'BetaAuthStateChanged'> = true
  const withoutSession: Fits<{ authState: 'LoggingIn' }, 'BetaAuthStateChanged'> = false
  const otherState: Fits<{ sessionId: string; authState: 'Gone' }, 'AuthStateChanged'> = false
  expect([known, whole]).toEqual([true, true])
  expect([misspelt, withoutPrefix, withoutSession, otherState]).not.toContain(true)
})
