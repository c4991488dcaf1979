import { durationMs, intervalHoursMax } from '../../core/lib/duration.ts'
import { checkCustomSchedule, ScheduleError } from '../../core/schedules/custom.ts'
import type { ScheduledPrefill, ScheduledService } from './stored.ts'
import {
  platformFacts,
  perPlatform,
  platformOf,
  scheduledOrder,
  type Platform,
} from '../../platforms/platforms.ts'
import type { ConfigBody, ServiceBody } from './model.ts'

const version = 5
const runtimeMsMax = 24 * 3_600_000
const threadsMax = 256

/** Limits of one service's run, in milliseconds. */
export interface RunLimits {
  runtimeMs: number
  stallMs: number
}

/** Throws ScheduleError for durations that cannot be limits. */
export function limitsOf(config: Pick<ScheduledPrefill, 'maxServiceRuntime' | 'stallTimeout'>) {
  const runtimeMs = durationMs(config.maxServiceRuntime) ?? 0
  const stallMs = durationMs(config.stallTimeout) ?? 0
  if (runtimeMs <= 0 || runtimeMs > runtimeMsMax) {
    throw new ScheduleError('maxServiceRuntime: must be more than 0 and at most 1.00:00:00')
  }
  if (stallMs <= 0 || stallMs >= runtimeMs) {
    throw new ScheduleError('stallTimeout: must be more than 0 and less than maxServiceRuntime')
  }
  return { runtimeMs, stallMs } satisfies RunLimits
}

function topCountOf(platform: Platform, body: ServiceBody): number | null {
  const isTop = body.preset === 'Top' && platformFacts[platform].presets.includes('Top')
  const count = body.topCount ?? null
  if (!isTop) return null
  if (count !== null && count > 0) return count
  throw new ScheduleError(`${platform}.topCount: must be more than 0 with the preset Top`)
}

function appIdsOf(platform: Platform, appIds: readonly string[]): string[] {
  const ids = appIds.map((id) => id.trim())
  if (ids.includes('')) throw new ScheduleError(`${platform}.selectedAppIds: an id is empty`)
  if (new Set(ids).size < ids.length) {
    throw new ScheduleError(`${platform}.selectedAppIds: an id is listed twice`)
  }
  return ids
}

function concurrencyOf(
  platform: Platform,
  wanted: ServiceBody['maxConcurrency'],
): ScheduledService['maxConcurrency'] {
  if (wanted === undefined || wanted.mode === 'Auto') return { mode: 'Auto', value: null }
  const value = wanted.value ?? 0
  if (value >= 1 && value <= threadsMax) return { mode: 'Fixed', value }
  throw new ScheduleError(`${platform}.maxConcurrency: value must be 1 to ${threadsMax}`)
}

function checkService(platform: Platform, body: ServiceBody, now: Date): void {
  const { serviceId = platform, intervalHours, customSchedule } = body
  if (platformOf(String(serviceId)) !== platform) {
    throw new ScheduleError(`${platform}.serviceId: must be ${platformFacts[platform].name}`)
  }
  const isRegular = intervalHours >= 0 && intervalHours <= intervalHoursMax
  if (!isRegular && intervalHours !== -1) {
    const allowed = `-1, 0, or up to ${intervalHoursMax}`
    throw new ScheduleError(`${platform}.intervalHours: must be ${allowed}`)
  }
  if (customSchedule === null || customSchedule === undefined) return
  try {
    checkCustomSchedule(customSchedule, now)
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error
    throw new ScheduleError(`${platform}.${error.message}`, { cause: error })
  }
}

/** The options of a schedule as they are stored. Throws ScheduleError. */
export function serviceOf(platform: Platform, body: ServiceBody, now: Date): ScheduledService {
  checkService(platform, body, now)
  const { enabled, notificationMode, intervalHours, preset } = body
  return {
    serviceId: platformFacts[platform].name,
    enabled,
    showNotification: body.showNotification ?? notificationMode !== 'silent',
    notificationMode,
    intervalHours,
    // What a daemon cannot select by itself is set to `All`.
    preset: platformFacts[platform].presets.includes(preset) ? preset : 'All',
    topCount: topCountOf(platform, body),
    selectedAppIds: appIdsOf(platform, body.selectedAppIds ?? []),
    operatingSystems: platformFacts[platform].hasSystems
      ? [...new Set(body.operatingSystems ?? [])]
      : [],
    force: body.force ?? false,
    maxConcurrency: concurrencyOf(platform, body.maxConcurrency),
    persistenceMode: body.persistenceMode ?? null,
    customSchedule: body.customSchedule ?? null,
    ...(body.cache != null && { cache: body.cache }),
  }
}

/** The configuration as it is stored. Throws ScheduleError with the reason for people. */
export function configOf(body: ConfigBody, now: Date): ScheduledPrefill {
  if (body.version !== version) throw new ScheduleError(`version: must be ${version}`)
  limitsOf(body)
  return {
    version,
    maxServiceRuntime: body.maxServiceRuntime.trim(),
    stallTimeout: body.stallTimeout.trim(),
    persistenceMode: body.persistenceMode ?? 'keepAcrossRestart',
    ...perPlatform((platform) => serviceOf(platform, body[platform], now), scheduledOrder),
  }
}
