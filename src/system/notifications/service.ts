import { AppError, orNotFound } from '../../core/http/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { ReadyNews } from '../../core/lib/ready-news.ts'
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
import { createSources, type SignInPlatform } from './sources.ts'
import { createNotificationStore, type NotificationStore, type TargetRecord } from './store.ts'
import { createNoticeTexts, type NoticeTexts } from './texts.ts'
import { partsOf, shownAddress, type Target, type TargetSecrets } from './targets.ts'

const credentialOf = (id: string) => `notifications.${id}` as const

const secretNames = ['url', 'token', 'password'] as const

function viewOf(
  record: TargetRecord,
  { secrets, waiting }: { secrets: TargetSecrets; waiting: number },
): TargetView {
  const { options, lastSentAt, lastErrorAt, createdAt: _createdAt, ...known } = record
  const text = (name: string) => (options[name] === undefined ? null : String(options[name]))
  return {
    ...known,
    address: shownAddress({ kind: record.kind, options, secrets }),
    chatId: text('chatId'),
    host: text('host'),
    port: options['port'] === undefined ? null : Number(options['port']),
    security: text('security') as TargetView['security'], // checked when it was saved
    user: text('user'),
    from: text('from'),
    to: text('to'),
    secrets: secretNames.filter((name) => name in secrets),
    waiting,
    lastSentAtUtc: lastSentAt?.toISOString() ?? null,
    lastErrorAtUtc: lastErrorAt?.toISOString() ?? null,
  }
}

/** Targets with their sealed secrets. */
function createTargets({ credentials, clock }: SystemParts, store: NotificationStore) {
  function secretsOf(id: string): TargetSecrets | null {
    const kept = credentials.read(credentialOf(id))
    // Written by `save` alone.
    return kept.state === 'kept' ? (JSON.parse(kept.secret) as TargetSecrets) : null
  }

  /** Throws SendError when the secrets cannot be opened. */
  function open(record: TargetRecord): Target {
    const secrets = secretsOf(record.id)
    if (secrets !== null) return { ...record, secrets }
    throw new SendError('Its secrets cannot be opened; enter them again')
  }

  const found = (id: string): TargetRecord => orNotFound(store.target(id), 'Target not found')

  /** Throws `invalid`, SealError. */
  function save(body: TargetBody, known: TargetRecord | null): TargetRecord {
    const isSame = known !== null && known.kind === body.kind
    const before = isSame ? { options: known.options, secrets: secretsOf(known.id) ?? {} } : null
    const { options, secrets } = partsOf(body, before)
    const record: TargetRecord = {
      id: known?.id ?? crypto.randomUUID(),
      name: body.name.trim() === '' ? body.kind : body.name.trim(),
      kind: body.kind,
      isEnabled: body.isEnabled ?? known?.isEnabled ?? true,
      onlyProblems: body.onlyProblems ?? known?.onlyProblems ?? false,
      options,
      createdAt: known?.createdAt ?? clock.now(),
      lastSentAt: known?.lastSentAt ?? null,
      lastError: null,
      lastErrorAt: null,
    }
    credentials.keep(credentialOf(record.id), JSON.stringify(secrets))
    store.put(record)
    return record
  }

  return {
    open,
    found,
    view: (record: TargetRecord, waiting: number) =>
      viewOf(record, { secrets: secretsOf(record.id) ?? {}, waiting }),
    save,
    enable(id: string, isEnabled: boolean): TargetRecord {
      store.note(found(id).id, { isEnabled })
      return found(id)
    },
    delete(id: string) {
      store.delete(found(id).id)
      credentials.forget(credentialOf(id))
    },
  }
}

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
    store.noteDelivery(record.id, { lastSentAt: clock.now(), lastError: null, lastErrorAt: null })
    return { isDelivered: true, error: null }
  } catch (error) {
    if (!(error instanceof SendError)) throw error
    history.ended(record.name, message, error.message)
    store.noteDelivery(record.id, { lastError: error.message, lastErrorAt: clock.now() })
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
  const store = createNotificationStore(parts.state)
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
