/*
 * Notifications never make anything wait. What happens is written to an outbox in `state.sqlite`
 * and sent in the background, one lane per target: a target that hangs or refuses delays no other.
 * A lane pauses longer after each failure, measured in elapsed time; a message is given up after
 * ten attempts or a day. Conditions that last (a job that fails again and again, a forecast, a
 * database that is away) are remembered in the settings and notified once. Quiet hours are the
 * complement of a schedule's window (`core/schedules`).
 */
import type { Core } from '../../core/core.ts'
import { BackOff } from '../../core/lib/back-off.ts'
import type { NotificationHistory } from './history.ts'
import { boundedMessage, type Message } from './message.ts'
import { type Send, SendError } from './send.ts'
import type { NotificationStore, TargetRecord, WaitingMessage } from './store.ts'
import type { Target } from './targets.ts'

/** Pauses of a target after a failure: doubled from the first up to the last. */
const firstPauseMs = 30_000
const lastPauseMs = 30 * 60_000
/** Then a message is given up: after about two hours of failures. */
const attemptsMax = 10
/** Older messages are of no use. */
const ageMaxMs = 24 * 3_600_000
/** Quiet hours are by the time of day, which may be set, so their end is checked this often. */
const quietCheckMs = 5 * 60_000

export type OutboxParts = Pick<Core, 'clock' | 'log' | 'timers'> & {
  store: NotificationStore
  send: Send
  /** Throws SendError when its secrets cannot be opened. */
  open: (record: TargetRecord) => Target
  /** The end of the present quiet hours; null outside of them. */
  quietUntil: () => Date | null
  history: Pick<NotificationHistory, 'ended'>
}

interface Lane {
  backOff: BackOff
  isBusy: boolean
  /** Ends the present pause; null without one. */
  cancelPause: (() => void) | null
}

/**
 * Sends messages in the background, one target independent of the others. Messages wait in
 * `state.sqlite`, so a restart loses none; each target gets its own in their order.
 */
export class Outbox {
  readonly #parts: OutboxParts
  readonly #lanes = new Map<string, Lane>()
  readonly #ending = new AbortController()

  constructor(parts: OutboxParts) {
    this.#parts = parts
  }

  /** Stores the message for every target that takes it, and begins to send. */
  add(message: Message): void {
    const { store } = this.#parts
    const bounded = boundedMessage(message)
    for (const { id, isEnabled, onlyProblems } of store.targets()) {
      if (!isEnabled || (onlyProblems && !message.isProblem)) continue
      store.add(id, bounded)
      this.#work(id)
    }
  }

  /** Tries every target at once: at the start, and after a target or quiet hours were changed. */
  retry(): void {
    for (const { id } of this.#parts.store.targets()) {
      const lane = this.#laneOf(id)
      lane.cancelPause?.()
      lane.cancelPause = null
      lane.backOff.reset()
      this.#work(id)
    }
  }

  /** The target was deleted. */
  forget(id: string): void {
    this.#lanes.get(id)?.cancelPause?.()
    this.#lanes.delete(id)
  }

  stop(): void {
    this.#ending.abort()
    for (const { cancelPause } of this.#lanes.values()) cancelPause?.()
  }

  #laneOf(id: string): Lane {
    const known = this.#lanes.get(id)
    if (known !== undefined) return known
    const backOff = new BackOff(firstPauseMs, lastPauseMs)
    const lane: Lane = { backOff, isBusy: false, cancelPause: null }
    this.#lanes.set(id, lane)
    return lane
  }

  #work(id: string): void {
    const lane = this.#laneOf(id)
    if (lane.isBusy || lane.cancelPause !== null || this.#ending.signal.aborted) return
    void this.#drain(id, lane)
      .catch((error: unknown) => {
        // The store is closed by the end of the service.
        if (this.#ending.signal.aborted) return null
        this.#parts.log.error({ err: error }, 'the outbox of notifications failed')
        return lane.backOff.next()
      })
      .then((pauseMs) => {
        if (pauseMs !== null && !this.#ending.signal.aborted) this.#pause(id, lane, pauseMs)
      })
  }

  #pause(id: string, lane: Lane, ms: number): void {
    lane.cancelPause = this.#parts.timers.after(ms, () => {
      lane.cancelPause = null
      this.#work(id)
    })
  }

  /** Sends what waits. Resolves to the pause before the next attempt; null: nothing waits. */
  async #drain(id: string, lane: Lane): Promise<number | null> {
    lane.isBusy = true
    try {
      for (;;) {
        const outcome = await this.#sendNext(id, lane)
        if (outcome !== true) return outcome
      }
    } finally {
      lane.isBusy = false
    }
  }

  /** True: the oldest message is dealt with; otherwise the pause before the next attempt, if any. */
  async #sendNext(id: string, lane: Lane): Promise<true | number | null> {
    const { store, clock, quietUntil, open, send, history } = this.#parts
    const record = store.target(id)
    const message = store.next(id)
    if (record === null || message === null || !record.isEnabled) return null
    const now = clock.now()
    if (now.getTime() - message.raisedAt.getTime() > ageMaxMs) {
      store.drop(message.id)
      history.ended(record.name, message, record.lastError ?? 'It waited for more than a day')
      return true
    }
    const quietEnd = quietUntil()
    if (quietEnd !== null) return Math.min(quietCheckMs, quietEnd.getTime() - now.getTime())
    try {
      await send(open(record), message, this.#ending.signal)
    } catch (error) {
      if (!(error instanceof SendError)) throw error
      if (this.#ending.signal.aborted) return null
      this.#failed(record, message, error.message)
      return lane.backOff.next()
    }
    if (this.#ending.signal.aborted) return null
    lane.backOff.reset()
    store.drop(message.id)
    history.ended(record.name, message, null)
    store.noteDelivery(id, { lastSentAt: clock.now(), lastError: null, lastErrorAt: null })
    return true
  }

  #failed(record: TargetRecord, message: WaitingMessage, reason: string): void {
    const { store, clock, log, history } = this.#parts
    const attempts = message.attempts + 1
    const isGivenUp = attempts >= attemptsMax
    if (isGivenUp) {
      store.drop(message.id)
      history.ended(record.name, message, reason)
    } else store.attempted(message.id, attempts)
    store.noteDelivery(record.id, { lastError: reason, lastErrorAt: clock.now() })
    const text = isGivenUp ? 'a notification was given up' : 'a notification was not delivered'
    log.warn({ target: record.name, reason, attempts }, text)
  }
}
