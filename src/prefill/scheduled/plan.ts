import type { StateDatabase } from '../../../db/state/open.ts'
import { prefillSchedule } from '../../../db/state/schema/prefill.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { isOpen, nextRun } from '../../core/schedules/custom.ts'
import type { ScheduledService } from '../../core/settings/scheduled-prefill.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { platformFacts, scheduledOrder, type Platform } from '../platforms.ts'
import type { ServicePlan } from './model.ts'

const hourMs = 3_600_000

interface Times {
  /** From when the next run is reckoned. */
  basisAt: Date
  /** Last run that went to its end. */
  lastRunAt: Date | null
}

interface Parts {
  state: StateDatabase
  settings: Settings
  clock: Clock
}

const isRecurring = ({ enabled, intervalHours, customSchedule }: ScheduledService): boolean =>
  enabled && (customSchedule !== null || intervalHours > 0)

/** When the prefills of the platforms are due. */
export class Plan {
  readonly #parts: Parts
  /** Platforms that ran once after the start of the process. */
  readonly #started = new Set<Platform>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  #service(platform: Platform): ScheduledService {
    return this.#parts.settings.get('prefill.schedule')[platform]
  }

  #times(platform: Platform): Times | null {
    const rows = this.#parts.state.db.select().from(prefillSchedule).all()
    return rows.find((row) => row.platform === platform) ?? null
  }

  #write(platform: Platform, times: Partial<Times>): void {
    const row = { platform, basisAt: this.#parts.clock.now(), ...times }
    this.#parts.state.db
      .insert(prefillSchedule)
      .values(row)
      .onConflictDoUpdate({ target: prefillSchedule.platform, set: row })
      .run()
  }

  /** A service that recurs from now on runs an interval later for the first time. */
  anchor(before: (platform: Platform) => boolean = (platform) => this.#times(platform) !== null) {
    for (const platform of scheduledOrder) {
      const isKnown = before(platform) && this.#times(platform) !== null
      if (isRecurring(this.#service(platform)) && !isKnown) this.#write(platform, {})
    }
  }

  #calendarRun(service: ScheduledService, from: Date): Date | null {
    try {
      return service.customSchedule === null ? null : nextRun(service.customSchedule, from)
    } catch {
      // A time zone that this system does not know any more.
      return null
    }
  }

  #isDue(platform: Platform): boolean {
    const service = this.#service(platform)
    const now = this.#parts.clock.now()
    if (!service.enabled) return false
    const times = this.#times(platform)
    if (service.customSchedule !== null) {
      if (times === null || !isOpen(service.customSchedule, now)) return false
      const next = this.#calendarRun(service, times.basisAt)
      return next !== null && next <= now
    }
    if (service.intervalHours === -1) return !this.#started.has(platform)
    if (service.intervalHours === 0) return false
    const basisMs = times?.basisAt.getTime() ?? -Infinity
    return basisMs + service.intervalHours * hourMs <= now.getTime()
  }

  due(): Platform[] {
    return scheduledOrder.filter((platform) => this.#isDue(platform))
  }

  enabled(): Platform[] {
    return scheduledOrder.filter((platform) => this.#service(platform).enabled)
  }

  /** A run was attempted, whatever came of it. */
  noteAttempt(platform: Platform): void {
    this.#started.add(platform)
    this.#write(platform, {})
  }

  /** A run went to its end. */
  noteRun(platform: Platform): void {
    this.#write(platform, { lastRunAt: this.#parts.clock.now() })
  }

  #nextRunAt(platform: Platform): Date | null {
    const service = this.#service(platform)
    if (!service.enabled) return null
    const times = this.#times(platform)
    const now = this.#parts.clock.now()
    if (service.customSchedule !== null) {
      return this.#calendarRun(service, times?.basisAt ?? now)
    }
    if (service.intervalHours <= 0) return null
    const basisMs = times?.basisAt.getTime() ?? now.getTime()
    return new Date(basisMs + service.intervalHours * hourMs)
  }

  view(): ServicePlan[] {
    return scheduledOrder.map((platform) => {
      const { intervalHours, enabled, customSchedule } = this.#service(platform)
      return {
        serviceId: platformFacts[platform].name,
        intervalHours,
        enabled,
        lastRunUtc: this.#times(platform)?.lastRunAt?.toISOString() ?? null,
        nextRunUtc: this.#nextRunAt(platform)?.toISOString() ?? null,
        customSchedule,
      }
    })
  }
}
