import type { Timers } from '../../core/lib/timers.ts'

/** A reader that takes nothing for this long has silently gone away. */
export const stalledMs = 60_000
/** A reader that never quite stops ends here: its transaction keeps old rows from being removed. */
export const longestMs = 6 * 3_600_000

interface StreamOptions {
  signal: AbortSignal
  timers: Timers
  /** Called once, however it ends. */
  onEnd: () => void
  /** Aborts what the chunks wait for. */
  abort: () => void
}

/**
 * Texts as a response body. Each chunk is produced after the previous one was read, so that a slow
 * reader costs no memory; a disconnected reader ends the work.
 */
export function bodyOf(
  chunks: AsyncIterator<string>,
  { signal, timers, onEnd, abort }: StreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let stopWaiting = () => {}
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    stopWaiting()
    stopLongest()
    signal.removeEventListener('abort', giveUp)
    onEnd()
  }
  const giveUp = () => {
    if (isOver) return
    abort()
    end()
  }
  const wait = () => {
    stopWaiting()
    if (!isOver) stopWaiting = timers.after(stalledMs, giveUp)
  }
  const stopLongest = timers.after(longestMs, giveUp)
  signal.addEventListener('abort', giveUp)
  if (signal.aborted) giveUp()
  wait()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        stopWaiting()
        try {
          const { value, done } = await chunks.next()
          if (done === true) {
            end()
            controller.close()
            return
          }
          controller.enqueue(encoder.encode(value))
          wait()
        } catch (error) {
          giveUp()
          controller.error(error)
        }
      },
      cancel: giveUp,
    },
    { highWaterMark: 1 },
  )
}
