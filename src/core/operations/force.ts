import type { Logger } from '../lib/log.ts'
import type { Timers } from '../lib/timers.ts'
import { isOver, type Entry } from './entry.ts'

/** How long a job may take to obey a cancel before it is killed. */
const obeyWithinMs = 5_000
/** How long the kill itself may take. */
const killWithinMs = 3_000

interface Tools {
  timers: Timers
  log: Logger
}

/** Waits for a promise, but no longer than a limit. */
function bounded(work: Promise<void>, limitMs: number, timers: Timers): Promise<void> {
  return new Promise((resolve) => {
    const cancel = timers.after(limitMs, resolve)
    void work.finally(() => {
      cancel()
      resolve()
    })
  })
}

async function kill(entry: Entry, { timers, log }: Tools): Promise<void> {
  const { request } = entry
  const about = { operationId: entry.view.id, type: entry.view.type }
  if (request.kill === undefined) {
    log.warn(about, 'the operation cannot be killed; it is only marked as ended')
    return
  }
  const killing = (async () => {
    try {
      await request.kill?.()
    } catch (error) {
      log.error({ ...about, err: error }, 'killing an operation failed')
    }
  })()
  await bounded(killing, killWithinMs, timers)
}

/** For a cancelled job: waits, then kills it and marks it as ended. */
export async function force(entry: Entry, tools: Tools, markOver: () => void): Promise<void> {
  await bounded(entry.ended.promise, obeyWithinMs, tools.timers)
  if (isOver(entry.view)) return
  await kill(entry, tools)
  markOver()
}

/** The same for all jobs at once, for shutdown. */
export async function stopAll(
  entries: readonly Entry[],
  tools: Tools,
  markOver: (entry: Entry) => void,
): Promise<void> {
  await Promise.all(entries.map((entry) => force(entry, tools, () => markOver(entry))))
}
