import { Value } from '@sinclair/typebox/value'
import { events } from '../../src/app.ts'

/** Where the payload of a frame differs from the documented one; also members that it lacks. */
export function eventFaults({ event, data }: { event: string; data: unknown }): string[] {
  const schema = events.get(event)?.payload
  if (schema === undefined) return []
  const faults = [...Value.Errors(schema, data)].map(({ path, message }) => `${path} ${message}`)
  const isWhole = Bun.deepEquals(Value.Clean(schema, structuredClone(data)), data)
  return isWhole ? faults : [...faults, 'has members that are not documented']
}
