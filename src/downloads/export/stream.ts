import pLimit from 'p-limit'
import type { Timers } from '../../core/lib/timers.ts'
import { endsWithin } from '../../core/lib/within.ts'

/** A reader that takes nothing for this long has silently gone away. */
export const stalledMs = 60_000
/** A reader that never quite stops ends here: its transaction keeps old rows from being removed. */
export const longestMs = 6 * 3_600_000

/** Exports that read a page at the same time: with more, a report waits for all of them. */
const readingMax = 1
/** One that searches long for its next page does not hold up the others. */
const turnMs = 100

/**
 * Makes exports read their pages in turn, each after the reports that are being read. `whenIdle`
 * resolves when there are none.
 */
export function takingTurns(whenIdle: () => Promise<void>) {
  const turn = pLimit(readingMax)
  return async function* inTurn<Page>(pages: AsyncGenerator<Page>): AsyncGenerator<Page> {
    try {
      for (;;) {
        const { next } = await turn(async () => {
          await whenIdle()
          const next = pages.next()
          await endsWithin(next, turnMs)
          return { next }
        })
        const { done, value } = await next
        if (done === true) return
        yield value
      }
    } finally {
      await pages.return(undefined)
    }
  }
}

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
  let close = () => {}
  // The server sets these connections no limit.
  const hangUp = () => {
    giveUp()
    close()
  }
  const wait = () => {
    stopWaiting()
    if (!isOver) stopWaiting = timers.after(stalledMs, hangUp)
  }
  const stopLongest = timers.after(longestMs, hangUp)
  signal.addEventListener('abort', giveUp)
  if (signal.aborted) giveUp()
  wait()
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        close = () => controller.error(new Error('the reader took too long'))
      },
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
