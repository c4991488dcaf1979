/**
 * True when the promise resolves within the time, false when it does not settle; rejects with it.
 * The timer ends with it and does not keep the process alive.
 */
export async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), ms)
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
