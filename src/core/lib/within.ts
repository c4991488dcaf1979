/**
 * The result, or `late` after the time limit. Rejects with the work's error. The timer ends with
 * the work.
 */
export async function orLate<T, Late>(
  work: Promise<T>,
  limitMs: number,
  late: Late,
): Promise<T | Late> {
  const limit = Promise.withResolvers<Late>()
  const timer = setTimeout(() => limit.resolve(late), limitMs)
  try {
    return await Promise.race([work, limit.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** False when it takes longer than the limit. Rejects with the work's error. */
export const endsWithin = (work: Promise<unknown>, limitMs: number): Promise<boolean> =>
  orLate(
    work.then(() => true),
    limitMs,
    false,
  )

/** The result, or the fallback on a timeout or error. */
export const within = <T>(work: Promise<T>, limitMs: number, fallback: T): Promise<T> =>
  orLate(work, limitMs, fallback).catch(() => fallback)
