/** Rates are averages of this many milliseconds. */
const windowMs = 4000
const sampleMs = 250

/** Whether the proxy served a response from the cache; null: it does not say. */
export function isHit(headers: ReadonlyMap<string, string>): boolean | null {
  const state = headers.get('x-upstream-cache-status') ?? headers.get('x-cache-status')
  if (state === undefined) return null
  // Nginx's own words; anything but these was fetched from the internet.
  return ['HIT', 'STALE', 'UPDATING', 'REVALIDATED'].includes(state.toUpperCase())
}

export type Meter = ReturnType<typeof createMeter>

/** Bytes of a run as they really arrive. */
export function createMeter() {
  let appBytes = 0
  let totalBytes = 0
  let hitBytes = 0
  let missBytes = 0
  const samples = [{ atMs: performance.now(), bytes: 0 }]
  return {
    /** Counts body bytes of the current app. */
    received(bytes: number, isHit: boolean | null): void {
      appBytes += bytes
      totalBytes += bytes
      if (isHit === true) hitBytes += bytes
      if (isHit === false) missBytes += bytes
    },
    /** Counts a finished object of an earlier run; nothing was transferred. */
    skipped: (bytes: number): void => void (appBytes += bytes),
    /** The bytes of a failed attempt are no progress: they come again. */
    takeBack: (bytes: number): void => void (appBytes -= bytes),
    startApp: (): void => void (appBytes = 0),
    get appBytes() {
      return appBytes
    },
    /** Of the whole run, failed attempts included. */
    get totalBytes() {
      return totalBytes
    },
    get hitBytes() {
      return hitBytes
    },
    get missBytes() {
      return missBytes
    },
    /** Bytes per second, lately. */
    rate(): number {
      const nowMs = performance.now()
      if (nowMs - (samples.at(-1)?.atMs ?? 0) >= sampleMs) {
        samples.push({ atMs: nowMs, bytes: totalBytes })
      }
      while (samples.length > 1 && nowMs - (samples[0]?.atMs ?? 0) > windowMs) samples.shift()
      const [oldest = { atMs: nowMs, bytes: totalBytes }] = samples
      const seconds = (nowMs - oldest.atMs) / 1000
      return seconds > 0 ? Math.round((totalBytes - oldest.bytes) / seconds) : 0
    },
  }
}
