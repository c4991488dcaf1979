import { isRecord } from '../../src/core/lib/record.ts'

/** The values, and the JSON with each of its members in turn replaced by one of them, or removed. */
export function* jsonMutations(json: unknown, values: readonly unknown[]): Generator {
  yield* values
  if (Array.isArray(json)) {
    for (const [at, member] of json.entries()) {
      for (const other of jsonMutations(member, values)) yield json.with(at, other)
    }
  } else if (isRecord(json)) {
    for (const [key, member] of Object.entries(json)) {
      for (const other of jsonMutations(member, values)) yield { ...json, [key]: other }
      const { [key]: _, ...rest } = json
      yield rest
    }
  }
}
