/*
 * Metrics are read on request. No timer reads the history for a scraper that does not exist: the
 * first request after the interval reads, and all others share its text. Each reading starts with
 * an empty registry, so that games and clients that are no longer among the first disappear. Two
 * names follow Prometheus's own rules instead of the documented ones:
 * `lancache_cache_until_full_seconds` and `lancache_games_on_disk`.
 */
import { AppError } from '../../core/http/errors.ts'
import { keep } from '../../core/lib/kept.ts'
import { scopeOf } from '../../downloads/contract.ts'
import type { SystemParts } from '../parts.ts'
import { expositionOf } from './exposition.ts'
import type { Reading } from './families.ts'
import { createLargest, detectionReadings, gameReadings } from './game-readings.ts'
import type { MetricsSecurity } from './model.ts'
import {
  diskReadings,
  eventReadings,
  growthReadings,
  hourReadings,
  processReadings,
  reading,
  trafficReadings,
  type MetricsParts,
} from './readings.ts'

/** Seconds for which an answer is kept. */
const defaultInterval = 15

type Parts = MetricsParts & Pick<SystemParts, 'checkKey' | 'history' | 'hub' | 'log' | 'settings'>

/** Everything for `/metrics`; what cannot be read at the moment is left out. */
function createReader(parts: Parts) {
  const { history, log, reports, settings } = parts
  const largest = createLargest(parts)
  return async (): Promise<Reading[]> => {
    const scope = reports.counted(scopeOf({}))
    const gamesMax = settings.get('metrics.gameLimit')
    const section = (name: string, read: Promise<Reading[]>): Promise<Reading[]> =>
      read.catch((error: unknown) => {
        log.debug({ err: error, section: name }, 'a section of the metrics failed')
        return []
      })
    const isAvailable = history.status().state === 'ready'
    const sections = await Promise.all([
      section('disk', diskReadings(parts)),
      section('growth', growthReadings(parts)),
      section('traffic', trafficReadings(parts, scope)),
      section('largest', largest(scope)),
      section('hours', hourReadings(parts, scope)),
      section('events', eventReadings(parts, scope)),
      section('games', gameReadings(parts, scope, gamesMax)),
      section('detection', detectionReadings(parts, gamesMax)),
    ])
    const available = reading('lancache_history_available', isAvailable ? 1 : 0)
    return [...processReadings(parts), available, ...sections.flat()]
  }
}

/** Figures for Prometheus, their settings, and who may read them. */
export function createMetrics(parts: Parts) {
  const { checkKey, clock, config, hub, settings } = parts
  const read = createReader(parts)
  let intervalSeconds = defaultInterval
  const text = keep(
    clock,
    () => intervalSeconds * 1000,
    async () => expositionOf(await read()),
  )

  function security(): MetricsSecurity {
    const override = settings.get('metrics.requiresKey')
    const envVarValue = config.security.requireAuthForMetrics
    return {
      requiresAuthentication: override ?? envVarValue,
      source: override === null ? 'config' : 'ui',
      canToggle: true,
      envVarValue,
    }
  }

  return {
    /** Throws unless the request may read: without a key 401, with a wrong one 403, then 429. */
    admit(request: Request): void {
      if (!security().requiresAuthentication) return
      const isRight = checkKey(request)
      if (isRight === null) {
        throw new AppError('badCredentials', 'Send the installation key in X-Api-Key or as Bearer')
      }
      if (!isRight) throw new AppError('refused', 'The installation key is wrong')
    },

    /** The text for Prometheus. Readers within the interval share one answer. */
    text: text.read,

    interval: () => ({ interval: intervalSeconds }),
    /** Lasts until the service ends. */
    setInterval(seconds: number) {
      intervalSeconds = seconds
      return { interval: intervalSeconds }
    },

    gameLimit: () => ({ gameLimit: settings.get('metrics.gameLimit') }),
    setGameLimit(gameLimit: number) {
      settings.set('metrics.gameLimit', gameLimit)
      text.forget()
      return { gameLimit }
    },

    security,
    /** Null follows the configuration again. */
    setSecurity(isEnabled: boolean | null): MetricsSecurity {
      settings.set('metrics.requiresKey', isEnabled)
      hub.publish('MetricsSecurityUpdated', security())
      return security()
    },
  }
}

export type Metrics = ReturnType<typeof createMetrics>
