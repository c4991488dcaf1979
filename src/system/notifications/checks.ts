import type { SystemParts } from '../parts.ts'
import { troubles } from '../status/troubles.ts'
import type { Conditions } from './conditions.ts'
import type { NoticeTexts } from './texts.ts'

/** A service that restarts its database is no trouble yet. */
const troubleChecks = 2
/** The condition is over when the forecast is this much better than the limit. */
const reliefShare = 1.25

/** Checks that no event announces: the forecast, the service, and sign-ins that run out. */
export function createChecks(parts: SystemParts, conditions: Conditions, texts: NoticeTexts) {
  const { history, snapshots, settings, config } = parts
  const rules = () => settings.get('notifications.rules')
  const { say } = texts
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
        title: isFull ? say('diskFull') : say('diskSoon', { days: Math.floor(daysUntilFull) }),
        text: say(isFull ? 'diskFullText' : 'diskSoonText'),
      })
    },

    /** Whoever sets a mark wants to know when prefill pauses. */
    async dataCap(): Promise<void> {
      const use = await parts.readDataCap()
      if (use === null || !use.isReached) return conditions.isOver('dataCap')
      const percent = Math.floor((100 * use.usedBytes) / use.capBytes)
      const until = use.until.toLocaleDateString(texts.locale(), { timeZone: config.timeZone })
      conditions.holds('dataCap', use.from.toISOString(), {
        kind: 'dataCap',
        isProblem: true,
        title: say('dataCapReached', { percent }),
        text: say('dataCapText', { until }),
      })
    },

    async service(): Promise<void> {
      if (!rules().service) return
      const lines = await troubles(parts)
      troubled = lines.length === 0 ? 0 : troubled + 1
      if (troubled === 0) conditions.isOver('service')
      if (troubled < troubleChecks) return
      const isAway = lines.every(({ part }) => part === 'node')
      const title = say(isAway ? 'nodesAway' : 'notCounting')
      const text = lines.map((line) => texts.trouble(line)).join('\n')
      // Another language does not notify.
      const state = JSON.stringify(lines)
      conditions.holds('service', state, { kind: 'serviceTrouble', isProblem: true, title, text })
    },

    signIns(): void {
      if (!parts.hasExpiredLogin()) return conditions.isOver('signIn alpha')
      if (!rules().signIns) return
      conditions.holds('signIn alpha', 'expired', {
        kind: 'signInLost',
        isProblem: true,
        title: say('signInExpired', { platform: 'Steam' }),
        text: say('signInAgain'),
      })
    },
  }
}
