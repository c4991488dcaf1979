/*
 * `prefill/bandwidth` shares one budget equally among the runs of Larder's own daemons; published
 * images do not know the command and are never sent it. Windows set another limit or a pause at a
 * time of day. When the line's monthly volume is used up to the mark, all of them pause. A paused run
 * does not count as stalled.
 */
import type { DataCapUse } from '../../core/lib/data-cap.ts'
import type { Bandwidth } from './limits.ts'
import type { PrefillParts } from '../parts.ts'
import { failureText } from '../sessions/refusals.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { LiveSession } from '../sessions/state.ts'
import type { BandwidthBody, BandwidthState } from './model.ts'

/** How often windows are checked. */
const checkMs = 15_000

type Limit = BandwidthState['current']

const isInside = ({ start, end }: { start: string; end: string }, time: string): boolean =>
  start < end ? time >= start && time < end : time >= start || time < end

/** Shares one budget among the own daemons that run. */
export class Budget {
  readonly #parts: PrefillParts
  readonly #sessions: Sessions
  /** What each daemon was sent in its run. */
  readonly #sent = new WeakMap<LiveSession, string>()
  #cancelCheck: (() => void) | null = null
  /** Why everything pauses; null: the line's monthly volume allows prefill. */
  #reached: DataCapUse | null = null

  constructor(parts: PrefillParts, sessions: Sessions) {
    this.#parts = parts
    this.#sessions = sessions
  }

  start(): void {
    this.#sessions.onRuns(() => {
      this.apply()
      void this.#readCap()
    })
    this.#check()
  }

  #check(): void {
    this.#cancelCheck = this.#parts.timers.after(checkMs, () => this.#check())
    this.apply()
    if (this.#reached !== null || this.#running().length > 0) void this.#readCap()
  }

  /** While it is not known what was used, nothing changes. */
  async #readCap(): Promise<void> {
    try {
      const use = await this.#parts.readDataCap()
      this.#reached = use?.isReached === true ? use : null
      this.apply()
    } catch (error) {
      this.#parts.log.debug({ reason: failureText(error) }, 'use of the data volume not known')
    }
  }

  stop(): void {
    this.#cancelCheck?.()
  }

  #current(): Limit {
    const { settings, clock, config } = this.#parts
    const { windows, bytesPerSecond, isPaused } = settings.get('prefill.bandwidth')
    const time = new Intl.DateTimeFormat('en-GB', {
      timeZone: config.timeZone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }).format(clock.now())
    const open = windows.find((window) => isInside(window, time))
    const limit = open ?? { bytesPerSecond, isPaused }
    const isHeld = limit.isPaused || this.#reached !== null
    return { bytesPerSecond: limit.bytesPerSecond, isPaused: isHeld }
  }

  #running(): LiveSession[] {
    return this.#sessions.all().filter((one) => one.run !== null && one.isLarders)
  }

  /** Tells every running daemon its share, if that has changed. */
  apply(): void {
    const { bytesPerSecond, isPaused } = this.#current()
    for (const session of this.#sessions.all()) {
      // Another session or process may tell the daemon something else before the next run.
      if (session.run === null) this.#sent.delete(session)
    }
    const running = this.#running()
    const share =
      bytesPerSecond === null ? null : Math.max(1, Math.floor(bytesPerSecond / running.length))
    for (const session of running) void this.#tell(session, { bytesPerSecond: share, isPaused })
  }

  async #tell(session: LiveSession, limit: Limit): Promise<void> {
    const text = JSON.stringify(limit)
    if (text === this.#sent.get(session)) return
    // A daemon may have a limit of its own; nobody has chosen another one here.
    const { settings } = this.#parts
    if (!settings.isSet('prefill.bandwidth') && !settings.isSet('line.dataCap')) return
    this.#sent.set(session, text)
    try {
      await session.client.setBandwidth(limit)
      this.#sessions.runs.take(session, { kind: 'paused', isPaused: limit.isPaused })
    } catch (error) {
      this.#sent.delete(session)
      const reason = failureText(error)
      this.#parts.log.warn({ sessionId: session.id, reason }, 'bandwidth of a prefill not set')
    }
  }

  async view(): Promise<BandwidthState> {
    // Without runs it is not read otherwise.
    await this.#readCap()
    return {
      ...this.#parts.settings.get('prefill.bandwidth'),
      current: this.#current(),
      volumeUsedUntilUtc: this.#reached?.until.toISOString() ?? null,
      runs: this.#running().length,
    }
  }

  /** Changes the given members, also of runs that go on. */
  change(body: BandwidthBody): Promise<BandwidthState> {
    const { settings } = this.#parts
    const fresh: Bandwidth = { ...settings.get('prefill.bandwidth'), ...body }
    settings.set('prefill.bandwidth', fresh)
    this.apply()
    return this.view()
  }
}
