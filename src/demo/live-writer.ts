import { appendFileSync, renameSync, statSync } from 'node:fs'
import { cachelogLine, type LoggedRequest } from './log-formats.ts'
import { seededRandom } from './random.ts'
import type { Past } from './demo-data.ts'

/** Each second's lines are written in this many chunks, like a busy proxy does. */
const portionsPerSecond = 4
const rotateBytes = 256 * 1024 * 1024
/** Concurrent downloads; below the minimum, one starts soon: visitors should see what a live page does. */
const running = { min: 2, max: 4 }
const burstChunks = { low: 40, high: 1500 }

export interface LiveWriter {
  stop(): void
}

/**
 * Appends live traffic to the log until stopped: downloads of several clients. Rotates the
 * file by renaming, as logrotate does, and keeps one old file.
 */
export function writeLive(
  { traffic }: Pick<Past, 'traffic'>,
  path: string,
  fromAt: number,
): LiveWriter {
  const random = seededRandom(fromAt)
  let at = fromAt
  let waiting: LoggedRequest[] = []
  let share = 0

  const append = (count: number) => {
    const lines = waiting.splice(0, count)
    if (lines.length > 0) appendFileSync(path, lines.map((it) => `${cachelogLine(it)}\n`).join(''))
  }
  const nextSecond = (now: number) => {
    append(waiting.length)
    // The user may have deleted it.
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (size > rotateBytes) renameSync(path, `${path}.1`)
    // After a suspend, the missed time is skipped.
    at = now
    const chance = traffic.runningCount < running.min ? 0.5 : 0.06
    if (traffic.runningCount < running.max && random.next() < chance) {
      traffic.begin(at, random.between(burstChunks.low, burstChunks.high))
    }
    waiting = traffic.second(at)
    share = Math.ceil(waiting.length / portionsPerSecond)
  }
  const tick = () => {
    const now = Math.floor(Date.now() / 1000)
    if (now > at) nextSecond(now)
    append(share)
  }
  const timer = setInterval(tick, 1000 / portionsPerSecond)
  return { stop: () => clearInterval(timer) }
}
