/** The result, or the fallback on a timeout or error. */
export async function within<T>(work: Promise<T>, limitMs: number, fallback: T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(fallback), limitMs)
  })
  try {
    return await Promise.race([work.catch(() => fallback), late])
  } finally {
    clearTimeout(timer)
  }
}
