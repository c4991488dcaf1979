import { expect, test } from 'bun:test'
import type { PrefillParts } from '../parts.ts'
import { createAvailability } from './availability.ts'

test('a question that outlasts the service is not followed by anything', async () => {
  const asked = Promise.withResolvers<boolean>()
  const later: unknown[] = []
  const transport = { kind: 'builtin', isAvailable: () => asked.promise }
  const availability = createAvailability(
    {
      transports: { gamma: transport, delta: transport },
      timers: { after: (ms: number) => later.push(ms) },
      activity: { add() {}, update: () => later.push('update') },
    } as unknown as PrefillParts,
    { all: () => [] },
  )
  availability.start()
  availability.stop()
  asked.resolve(true)
  await Bun.sleep(1)
  expect(later).toEqual([])
})
