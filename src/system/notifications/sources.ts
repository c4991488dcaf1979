import type { SystemParts } from '../parts.ts'
import { createChecks } from './checks.ts'
import { createConditions, type Notice } from './conditions.ts'
import { watchJobs } from './jobs.ts'
import type { StatusCheck } from '../status-check/service.ts'
import type { Message } from './message.ts'
import type { ReadyNews } from '../../core/lib/ready-news.ts'
import { notifyReadiness } from './readiness.ts'
import type { NoticeTexts } from './texts.ts'

/** How often the forecast and the state of the service are checked. */
const checkHours = 5 / 60
/** How often DNS is checked. */
const dnsHours = 6
const firstDnsMinutes = 10

const platformNames = { beta: 'Epic Games', epsilon: 'Xbox' } as const
export type SignInPlatform = keyof typeof platformNames

interface Sink {
  /** Whether there is a target at all. */
  isWanted: () => boolean
  raise: (message: Message) => void
  texts: NoticeTexts
  statusCheck: Pick<StatusCheck, 'lastResult' | 'startSilently'>
}

/** Watches what notifications are about: jobs, the forecast, findings, sign-ins, the service. */
export function createSources(
  parts: SystemParts,
  { isWanted, raise: send, statusCheck, texts }: Sink,
) {
  const { settings, clock, config, log, schedules } = parts
  const raise = (notice: Notice) => send({ ...notice, raisedAt: clock.now() })
  const conditions = createConditions(settings, raise)
  const checks = createChecks(parts, conditions, texts)

  /** A check that fails leaves the others working. */
  const guarded = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => log.debug({ err: error }, 'a check for notifications failed'))

  return {
    start() {
      const lastCheck = () => statusCheck.lastResult()
      const { isOutageNotified } = checks
      const sink = { conditions, raise, isWanted, lastCheck, texts, isOutageNotified }
      const checkJobs = watchJobs(parts, sink)
      schedules.register({
        serviceKey: 'notificationStatusCheck',
        intervalHours: dnsHours,
        firstRunMinutes: firstDnsMinutes,
        runOnStartup: false,
        run() {
          if (isWanted() && settings.get('notifications.rules').dns) statusCheck.startSilently()
        },
      })
      schedules.register({
        serviceKey: 'notificationChecks',
        intervalHours: checkHours,
        runOnStartup: false,
        async run() {
          if (!isWanted()) return
          checks.signIns()
          const checked = [checks.forecast(), checks.dataCap(), checks.service()]
          await Promise.all(checked.map(guarded))
          checkJobs()
        },
      })
    },
    readyNews(news: ReadyNews): void {
      if (settings.get('notifications.rules').readiness === false || !isWanted()) return
      notifyReadiness(news, { conditions, texts, timeZone: config.timeZone })
    },
    /** A platform has ended the sign-in of the installation. */
    signInLost(platform: SignInPlatform): void {
      if (!settings.get('notifications.rules').signIns || !isWanted()) return
      const title = texts.say('signInEnded', { platform: platformNames[platform] })
      const text = texts.say('signInAgain')
      raise({ kind: 'signInLost', isProblem: true, title, text })
    },
  }
}
