import { AppError } from '../../core/http/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { SystemParts } from '../parts.ts'
import type { StatusCheck } from '../status-check/service.ts'
import { createNotificationHistory } from './history.ts'
import type { Message } from './message.ts'
import type {
  LanguageBody,
  Notifications,
  NotificationRules,
  NotificationRulesBody,
  TargetBody,
  TargetView,
} from './model.ts'
import { Outbox, type OutboxParts } from './outbox.ts'
import { createQuietHours, type QuietHours } from './quiet-hours.ts'
import { createSend, SendError } from './send.ts'
import type { ReadyNews } from '../../core/lib/ready-news.ts'
import { createSources, type SignInPlatform } from './sources.ts'
import { NotificationStore, type TargetRecord } from './store.ts'
import { createTargets } from './target-records.ts'
import { createNoticeTexts, type NoticeTexts } from './texts.ts'

const targetsMax = 20
/**
 * For a message of the test button; others to the same host may be before it. Below the minute after
 * which reverse proxies give up.
 */
export const testMs = 50_000

type TestParts = Pick<OutboxParts, 'clock' | 'history' | 'open' | 'send' | 'store'> & {
  texts: NoticeTexts
}

/** Delivers a test message to one target, and notes how that ended. */
async function sendTest(record: TargetRecord, parts: TestParts) {
  const { clock, history, open, send, store, texts } = parts
  const message: Message = {
    kind: 'test',
    isProblem: false,
    title: texts.say('test'),
    text: texts.say('testText', { name: record.name }),
    raisedAt: clock.now(),
  }
  try {
    await send(open(record), message, AbortSignal.timeout(testMs))
    history.ended(record.name, message, null)
    store.note(record.id, { lastSentAt: clock.now(), lastError: null, lastErrorAt: null })
    return { isDelivered: true, error: null }
  } catch (error) {
    if (!(error instanceof SendError)) throw error
    history.ended(record.name, message, error.message)
    store.note(record.id, { lastError: error.message, lastErrorAt: clock.now() })
    return { isDelivered: false, error: error.message }
  }
}

/** Rules of earlier versions have no `readiness`: it is on. */
const rulesIn = (settings: Settings): NotificationRules => ({
  readiness: true,
  ...settings.get('notifications.rules'),
})

/** Rules, targets and the outbox of notifications. */
export function createNotifications(
  parts: SystemParts,
  statusCheck: Pick<StatusCheck, 'lastResult' | 'startSilently'>,
) {
  const { clock, config, settings } = parts
  const store = new NotificationStore(parts.state)
  const targets = createTargets(parts, store)
  const quiet = createQuietHours(settings, clock)
  const texts = createNoticeTexts(() => settings.get('notifications.language'))
  const history = createNotificationHistory(settings, clock)
  const lanes = { ...parts, store, send: createSend(parts), open: targets.open, history }
  const outbox = new Outbox({ ...lanes, quietUntil: () => quiet.until() })
  const sources = createSources(parts, {
    isWanted: () => store.targets().some(({ isEnabled }) => isEnabled),
    raise: (message) => outbox.add(message),
    texts,
    statusCheck,
  })
  const viewOf = (record: TargetRecord) => targets.view(record, store.waiting().get(record.id) ?? 0)
  function changed(record: TargetRecord): TargetView {
    outbox.retry()
    return viewOf(record)
  }

  return {
    start() {
      sources.start()
      outbox.retry()
    },
    stop: () => outbox.stop(),
    /** A platform has ended the sign-in of the installation. */
    signInLost: (platform: SignInPlatform) => sources.signInLost(platform),

    readyNews: (news: ReadyNews) => sources.readyNews(news),
    read(): Notifications {
      return {
        targets: store.targets().map(viewOf),
        rules: rulesIn(settings),
        language: settings.get('notifications.language'),
        quietHours: settings.get('notifications.quietHours'),
        isQuiet: quiet.until() !== null,
        timeZoneId: config.timeZone,
      }
    },

    history: () => ({ entries: history.read() }),
    setRules(body: NotificationRulesBody): NotificationRules {
      settings.set('notifications.rules', { ...rulesIn(settings), ...body })
      return rulesIn(settings)
    },
    setLanguage(body: LanguageBody): LanguageBody {
      settings.set('notifications.language', body.language)
      return body
    },
    /** Throws `invalid`. */
    setQuietHours(quietHours: QuietHours) {
      quiet.set(quietHours)
      outbox.retry()
      return { quietHours }
    },

    create(body: TargetBody): TargetView {
      if (store.targets().length >= targetsMax) {
        throw new AppError('conflict', `At most ${targetsMax} targets`)
      }
      return viewOf(targets.save(body, null))
    },
    update: (id: string, body: TargetBody) => changed(targets.save(body, targets.found(id))),
    enable: (id: string, isEnabled: boolean) => changed(targets.enable(id, isEnabled)),
    delete(id: string): void {
      targets.delete(id)
      outbox.forget(id)
    },

    /** Sends a message now, past the outbox and quiet hours. */
    test: (id: string) => sendTest(targets.found(id), { ...lanes, texts }),
  }
}

export type NotificationService = ReturnType<typeof createNotifications>
