import { useQueryClient } from '@tanstack/react-query'
import { platformFacts } from '../../../../platforms/platforms.ts'
import {
  useGuestDefaults,
  useSessionPreferences,
  useThemes,
  type SessionDto,
  type UserPreferences,
} from '../../../api/access-queries.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { clockFlagsOf, timeFormatOf, timeFormats } from '../../../app/preferences.ts'
import { isForever, remainingSeconds, remainingText } from '../../../app/remaining.ts'
import { useNow } from '../../../app/clock.ts'
import { useSave } from '../../../app/use-save.ts'
import { Choice, Switch } from '../../../components/form-controls.tsx'
import { Facts, type Fact } from '../../../components/figures.tsx'
import { Pending, Saves, Row } from '../../../components/card.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { fullMomentText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { AllowedFormats, clockOptions, rateOptions } from '../preference-controls.tsx'
import { themeOptions } from '../themes/theme-options.ts'
import { endLabel, grantsOf, presenceOf } from './describe.ts'

function factsOf(session: SessionDto, now: Date): Fact[] {
  const isOver = session.isRevoked || session.isExpired
  const place = [session.city, session.regionName, session.countryName].filter(Boolean).join(', ')
  const seen = fullMomentText(new Date(session.lastSeenAt))
  const left = remainingSeconds(session.expiresAt, now)
  const end = isForever(session.expiresAt)
    ? t('sessions.never')
    : `${fullMomentText(new Date(session.expiresAt))}${isOver ? '' : ` (${remainingText(left)})`}`
  return [
    [t('accounts.role'), t(`role.${session.sessionType}`)],
    [
      t('accounts.state'),
      t(isOver ? endLabel(session) : `sessions.presence.${presenceOf(session.lastSeenAt, now)}`),
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
  const isOver = session.isRevoked || session.isExpired
  const one = api.sessions({ id: session.id })
  return (
    <Saves stale={[keys.sessions]}>
      <Facts facts={factsOf(session, now)} />
      {session.sessionType === 'guest' && !isOver && <Grants session={session} now={now} />}
      {!isOver && <SessionPreferences session={session} />}
      <div className="mt-5 flex flex-wrap gap-2">
        {!isOver && (
          <Action
            label={t('sessions.revoke')}
            consequence={t(
              session.isCurrentSession ? 'sessions.revokeOwn' : 'sessions.revokeConsequence',
            )}
            run={() => unwrap(one.revoke.patch())}
            done={t('sessions.wasRevoked')}
            after={onGone}
          />
        )}
        <Action
          label={t('sessions.delete')}
          consequence={t(isOver ? 'sessions.deleteEnded' : 'sessions.deleteConsequence')}
          run={() => unwrap(one.delete())}
          done={t('sessions.wasDeleted')}
          after={onGone}
        />
      </div>
    </Saves>
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

/** Another session's dashboard preferences; changes apply there immediately. */
function SessionPreferences({ session }: { session: SessionDto }) {
  const { data, error } = useSessionPreferences(session.id)
  if (data === undefined) return <Pending error={error} rows={3} />
  return <Editor session={session} held={data} />
}

function Editor({ session, held }: { session: SessionDto; held: UserPreferences }) {
  const { save, isBusy } = useSave({ stale: [[...keys.preferences, session.id]] })
  const themes = useThemes().data ?? []
  const allowed = useGuestDefaults().data?.allowedTimeFormats ?? timeFormats
  const isGuest = session.sessionType === 'guest'
  const put = (body: UserPreferences) =>
    unwrap(api['user-preferences'].session({ sessionId: session.id }).put(body))
  const queries = useQueryClient()
  const queryKey = [...keys.preferences, session.id]
  const change = (part: Partial<UserPreferences>) => {
    // The latest cached ones, not the rendered ones: the next change may come before a re-render.
    const newest = () => queries.getQueryData<UserPreferences>(queryKey) ?? held
    const before = newest()
    const changed = Object.keys(part) as (keyof UserPreferences)[] // the members of a literal
    const back = Object.fromEntries(changed.map((key) => [key, before[key]]))
    const next = { ...before, ...part }
    queries.setQueryData(queryKey, next)
    save({
      run: () => put(next),
      done: t('prefs.saved'),
      // Reverts only this change and keeps later ones.
      undo: () => put({ ...newest(), ...back }),
    })
  }
  const formats = held.allowedTimeFormats ?? allowed
  return (
    <fieldset aria-label={t('settings.preferences')} disabled={isBusy} className="min-w-0">
      <h3 className="mt-6 mb-3 text-card font-semibold">{t('settings.preferences')}</h3>
      <Row title={t('prefs.theme')}>
        <Choice
          value={held.selectedTheme}
          options={[{ value: null, label: t('theme.system') }, ...themeOptions(themes)]}
          onChange={(selectedTheme) => change({ selectedTheme })}
        />
      </Row>
      <Row title={t('prefs.clock')}>
        <Choice
          value={timeFormatOf(held)}
          options={clockOptions()}
          onChange={(format) => change(clockFlagsOf(format))}
        />
      </Row>
      <Row title={t('prefs.rate')}>
        <Choice
          value={held.refreshRate}
          options={[{ value: null, label: t('prefs.rateHost') }, ...rateOptions()]}
          onChange={(refreshRate) => change({ refreshRate })}
        />
      </Row>
      <Row title={t('prefs.sharp')}>
        <Switch isOn={held.sharpCorners} onChange={(sharpCorners) => change({ sharpCorners })} />
      </Row>
      <Row title={t('prefs.tooltips')}>
        <Switch
          isOn={!held.disableTooltips}
          onChange={(isOn) => change({ disableTooltips: !isOn })}
        />
      </Row>
      {isGuest && (
        <>
          <Row title={t('prefs.rateLock')} note={t('prefs.rateLockNote')}>
            <Choice
              value={held.refreshRateLocked}
              options={[
                { value: null, label: t('prefs.asAll') },
                { value: true, label: t('prefs.locked') },
                { value: false, label: t('prefs.free') },
              ]}
              onChange={(refreshRateLocked) => change({ refreshRateLocked })}
            />
          </Row>
          <Row title={t('prefs.formats')}>
            <AllowedFormats
              allowed={formats}
              onChange={(allowedTimeFormats) => change({ allowedTimeFormats })}
            />
          </Row>
        </>
      )}
    </fieldset>
  )
}
