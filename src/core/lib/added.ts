import { isRecord } from './record.ts'

/** Adds the numbers of two objects, also within; what is no number is that of the first. */
export function added<T extends object>(one: T, other: T): T {
  const sum = Object.entries(other as Record<string, unknown>).map(([name, value]) => {
    const own: unknown = one[name as keyof T]
    if (typeof value === 'number') return [name, Number(own ?? 0) + value]
    return [name, isRecord(value) && isRecord(own) ? added(own, value) : own]
  })
  // It has the members of both.
  return { ...one, ...(Object.fromEntries(sum) as Partial<T>) }
}
