import type { SessionDto } from '../../../api/access-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { isForever, remainingSeconds, remainingText } from '../../../app/remaining.ts'
import { useNow } from '../../../app/use-now.ts'
import { Confirm } from '../../../components/setting.tsx'
import { Row } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { fullMomentText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { platformFacts } from '../../../../platforms/platforms.ts'
import { useSave } from '../../../app/use-save.ts'
import { presenceLabels, roleLabels, endLabel } from './columns.tsx'
import { grantsOf, presenceOf } from './describe.ts'
import { SessionPreferences } from './preferences.tsx'

function factsOf(session: SessionDto, now: Date): [label: string, value: string | null][] {
  const isOver = session.isRevoked || session.isExpired
  const place = [session.city, session.regionName, session.countryName].filter(Boolean).join(', ')
  const seen = fullMomentText(new Date(session.lastSeenAt))
  const left = remainingSeconds(session.expiresAt, now)
  const end = isForever(session.expiresAt)
    ? t('sessions.never')
    : `${fullMomentText(new Date(session.expiresAt))}${isOver ? '' : ` (${remainingText(left)})`}`
  return [
    [t('accounts.role'), t(roleLabels[session.sessionType])],
    [
      t('accounts.state'),
      t(isOver ? endLabel(session) : presenceLabels[presenceOf(session.lastSeenAt, now)]),
    ],
    [t('client.address'), session.ipAddress],
    [t('sessions.publicAddress'), session.publicIpAddress],
    [t('sessions.place'), place === '' ? null : place],
    [t('sessions.provider'), session.ispName],
    [t('sessions.timezone'), session.timezone],
    [t('account.language'), session.browserLanguage],
    [t('sessions.screen'), session.screenResolution],
    [t('sessions.since'), fullMomentText(new Date(session.createdAt))],
    [t('column.seen'), seen],
    [t('sessions.ends'), isOver ? null : end],
    [
      t('sessions.endedAt'),
      session.revokedAt === null ? null : fullMomentText(new Date(session.revokedAt)),
    ],
  ]
}

/** One session: facts, prefill grants, preferences, and ending it. */
export function SessionDetail({ session, onGone }: { session: SessionDto; onGone: () => void }) {
  const now = useNow(1000)
  const { save, isBusy } = useSave({ stale: [keys.sessions] })
  const isOver = session.isRevoked || session.isExpired
  const one = api.sessions({ id: session.id })
  return (
    <>
      <dl className="mb-4 grid grid-cols-[auto_1fr] gap-x-5 gap-y-1 text-[13px]">
        {factsOf(session, now).map(
          ([label, value]) =>
            value !== null &&
            value !== '' && (
              <div key={label} className="contents">
                <dt className="text-dim">{label}</dt>
                <dd className="min-w-0 break-words">{value}</dd>
              </div>
            ),
        )}
      </dl>
      {session.sessionType === 'guest' && !isOver && <Grants session={session} now={now} />}
      {!isOver && <SessionPreferences session={session} />}
      <div className="mt-5 flex flex-wrap gap-2">
        {!isOver && (
          <Confirm
            label={t('sessions.revoke')}
            consequence={t(
              session.isCurrentSession ? 'sessions.revokeOwn' : 'sessions.revokeConsequence',
            )}
            isBusy={isBusy}
            onConfirm={() =>
              save({
                run: () => unwrap(one.revoke.patch()),
                done: t('sessions.wasRevoked'),
                after: onGone,
              })
            }
          />
        )}
        <Confirm
          label={t('sessions.delete')}
          consequence={t(isOver ? 'sessions.deleteEnded' : 'sessions.deleteConsequence')}
          isBusy={isBusy}
          onConfirm={() =>
            save({ run: () => unwrap(one.delete()), done: t('sessions.wasDeleted'), after: onGone })
          }
        />
      </div>
    </>
  )
}

function Grants({ session, now }: { session: SessionDto; now: Date }) {
  const { save, isBusy } = useSave({ stale: [keys.sessions] })
  const toggle = (service: string, enabled: boolean) =>
    unwrap(
      api.auth.guest.prefill
        .toggle({ sessionId: session.id })
        .post({ enabled }, { query: { service } }),
    )
  return (
    <section aria-label={t('sessions.prefill')} className="mb-4">
      <h3 className="mb-3 text-card font-semibold">{t('sessions.prefill')}</h3>
      {grantsOf(session, now).map(({ platform, isGranted, secondsLeft }) => (
        <Row
          key={platform}
          title={platformFacts[platform].title}
          note={
            secondsLeft === null
              ? t(isGranted ? 'sessions.granted' : 'sessions.notGranted')
              : remainingText(secondsLeft)
          }
        >
          <Switch
            label={t('sessions.mayPrefill', { platform: platformFacts[platform].title })}
            isOn={isGranted}
            disabled={isBusy}
            onChange={(isOn) => save({ run: () => toggle(platform, isOn) })}
          />
        </Row>
      ))}
    </section>
  )
}
