import type { SystemParts } from '../parts.ts'
import { troubles } from '../status/troubles.ts'
import type { Conditions } from './conditions.ts'

/** A service that restarts its database is no trouble yet. */
const troubleChecks = 2
/** The condition is over when the forecast is this much better than the limit. */
const reliefShare = 1.25

/** Checks that no event announces: the forecast, the service, and sign-ins that run out. */
export function createChecks(parts: SystemParts, conditions: Conditions) {
  const { history, snapshots, settings } = parts
  const rules = () => settings.get('notifications.rules')
  let troubled = 0

  return {
    async forecast(): Promise<void> {
      const { diskDays } = rules()
      if (diskDays === null || history.status().state !== 'ready') return
      const { daysUntilFull, reason } = await snapshots.forecast()
      if (reason === 'diskUnknown') return
      if (daysUntilFull === null || daysUntilFull > diskDays * reliefShare) {
        conditions.isOver('disk')
      }
      if (daysUntilFull === null || daysUntilFull > diskDays) return
      const isFull = daysUntilFull === 0
      conditions.holds('disk', isFull ? 'full' : 'soon', {
        kind: 'diskForecast',
        isProblem: true,
        title: isFull
          ? 'The cache is full'
          : `The cache is full in ${Math.floor(daysUntilFull)} days`,
        text: isFull
          ? 'The proxy evicts the least recently used files.'
          : 'At the growth of the last weeks.',
      })
    },

    async service(): Promise<void> {
      if (!rules().service) return
      const lines = await troubles(parts)
      troubled = lines.length === 0 ? 0 : troubled + 1
      if (troubled === 0) conditions.isOver('service')
      if (troubled < troubleChecks) return
      const title = 'Larder does not count downloads'
      const text = lines.join('\n')
      conditions.holds('service', text, { kind: 'serviceTrouble', isProblem: true, title, text })
    },

    signIns(): void {
      if (!parts.hasExpiredLogin()) return conditions.isOver('signIn alpha')
      if (!rules().signIns) return
      conditions.holds('signIn alpha', 'expired', {
        kind: 'signInLost',
        isProblem: true,
        title: 'The sign-in to Steam has expired',
        text: 'Sign in again in the settings of Larder.',
      })
    },
  }
}
