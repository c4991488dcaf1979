import type { SystemParts } from '../parts.ts'
import { troubles, type Trouble } from '../status/troubles.ts'
import type { Conditions } from './conditions.ts'
import type { NoticeTexts } from './texts.ts'

/** The condition is over when the forecast is this much better than the limit. */
const reliefShare = 1.25
/** A cache that evicts has a little space again and again; one with this share left is not full. */
const reliefSpaceShare = 0.02

/** The part that a trouble is about; another state of it does not notify. */
const subjectOf = (trouble: Trouble): string =>
  'name' in trouble ? `${trouble.part} ${trouble.name}` : trouble.part

/** Subjects that were notified and are not over. */
const notifiedIn = (conditions: Conditions) =>
  JSON.parse(conditions.known('service') ?? '[]') as string[] // written below

/** While only the history, a node or old log files are missing, lines are still counted. */
function titleOf(fresh: readonly Trouble[]) {
  const isUnread = (it: Trouble) => it.part === 'folder' && it.problem !== 'too_many_files'
  const has = (...parts: Trouble['part'][]) => fresh.some(({ part }) => parts.includes(part))
  if (has('logs') || fresh.some(isUnread)) return 'notCounting'
  if (has('database', 'rows')) return 'reportsPaused'
  return has('folder') ? 'oldLogsIgnored' : 'nodesAway'
}

/**
 * What is wrong with the service. Begins and ends count at the second check in a row: a database that
 * restarts is no trouble yet, and an engine that starts does not know yet what it cannot read.
 */
function createServiceCheck(parts: SystemParts, conditions: Conditions, texts: NoticeTexts) {
  /** Subjects at the last check; null before the first one. */
  let seen: string[] | null = null

  return async (): Promise<void> => {
    if (!parts.settings.get('notifications.rules').service) return
    const lines = await troubles(parts)
    const [now, before] = [lines.map(subjectOf), seen]
    seen = now
    if (before === null) return
    const kept = notifiedIn(conditions).filter(
      (subject) => now.includes(subject) || before.includes(subject),
    )
    const fresh = lines.filter((line) => {
      const subject = subjectOf(line)
      return before.includes(subject) && !kept.includes(subject)
    })
    const state = [...kept, ...fresh.map(subjectOf)]
    const kind = 'serviceTrouble'
    if (state.length === 0) {
      const title = texts.say('serviceWell')
      return conditions.isOver('service', { kind, isProblem: false, title, text: '' })
    }
    if (fresh.length === 0) return conditions.note('service', JSON.stringify(state))
    conditions.holds('service', JSON.stringify(state), {
      kind,
      isProblem: true,
      title: texts.say(titleOf(fresh)),
      text: fresh.map((line) => texts.trouble(line)).join('\n'),
    })
  }
}

/** Checks that no event announces: the forecast, the service, and sign-ins that run out. */
export function createChecks(parts: SystemParts, conditions: Conditions, texts: NoticeTexts) {
  const { history, snapshots, settings, config } = parts
  const rules = () => settings.get('notifications.rules')
  const { say } = texts

  return {
    async forecast(): Promise<void> {
      const { diskDays } = rules()
      if (diskDays === null || history.status().state !== 'ready') return
      const { daysUntilFull, reason, roomBytes, totalBytes } = await snapshots.forecast()
      if (reason === 'diskUnknown') return
      const hasSpace = roomBytes > totalBytes * reliefSpaceShare
      if (hasSpace && (daysUntilFull === null || daysUntilFull > diskDays * reliefShare)) {
        conditions.isOver('disk')
      }
      if (daysUntilFull === null || daysUntilFull > diskDays) return
      const isFull = daysUntilFull === 0
      if (!isFull && conditions.known('disk') === 'full') return
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

    service: createServiceCheck(parts, conditions, texts),
    /** Whether the outage of the database was notified. */
    isOutageNotified: () => notifiedIn(conditions).includes('database'),

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
