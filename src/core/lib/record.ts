/**
 * An empty record for keys that come from outside (members of a request, services of a log): it has no
 * prototype, so a key such as `constructor` or `__proto__` is an ordinary one.
 */
export const emptyRecord = <Value>(): Record<string, Value> =>
  Object.create(null) as Record<string, Value>

/** Whether a value from outside has members: neither null nor a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
