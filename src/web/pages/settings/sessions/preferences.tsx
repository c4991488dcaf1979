import { useQueryClient } from '@tanstack/react-query'
import {
  useGuestDefaults,
  useSessionPreferences,
  useThemes,
  type SessionDto,
  type UserPreferences,
} from '../../../api/access-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { timeFormats } from '../../../app/preferences.ts'
import { Pending } from '../../../components/notice.tsx'
import { Row } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { t } from '../../../locales/translate.ts'
import { Choice } from '../../../components/choice.tsx'
import { AllowedFormats, ClockChoice, rateOptions } from '../preference-controls.tsx'
import { useSave } from '../../../app/use-save.ts'
import { themeOptions } from '../themes/theme-options.ts'
import { keys } from '../../../api/keys.ts'

/** Another session's dashboard preferences; changes apply there immediately. */
export function SessionPreferences({ session }: { session: SessionDto }) {
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
    <section aria-label={t('settings.preferences')}>
      <h3 className="mt-6 mb-3 text-card font-semibold">{t('settings.preferences')}</h3>
      <Row title={t('prefs.theme')}>
        <Choice
          value={held.selectedTheme ?? ''}
          options={[{ value: '', label: t('theme.system') }, ...themeOptions(themes)]}
          disabled={isBusy}
          onChange={(id) => change({ selectedTheme: id === '' ? null : id })}
        />
      </Row>
      <Row title={t('prefs.clock')}>
        <ClockChoice flags={held} disabled={isBusy} onChange={change} />
      </Row>
      <Row title={t('prefs.rate')}>
        <Choice
          value={held.refreshRate ?? ''}
          options={[{ value: '', label: t('prefs.rateHost') }, ...rateOptions()]}
          disabled={isBusy}
          onChange={(rate) => change({ refreshRate: rate === '' ? null : rate })}
        />
      </Row>
      <Row title={t('prefs.sharp')}>
        <Switch
          isOn={held.sharpCorners}
          disabled={isBusy}
          onChange={(sharpCorners) => change({ sharpCorners })}
        />
      </Row>
      <Row title={t('prefs.tooltips')}>
        <Switch
          isOn={!held.disableTooltips}
          disabled={isBusy}
          onChange={(isOn) => change({ disableTooltips: !isOn })}
        />
      </Row>
      {isGuest && (
        <>
          <Row title={t('prefs.rateLock')} note={t('prefs.rateLockNote')}>
            <Choice
              value={held.refreshRateLocked === null ? '' : String(held.refreshRateLocked)}
              options={[
                { value: '', label: t('prefs.asAll') },
                { value: 'true', label: t('prefs.locked') },
                { value: 'false', label: t('prefs.free') },
              ]}
              disabled={isBusy}
              onChange={(lock) =>
                change({ refreshRateLocked: lock === '' ? null : lock === 'true' })
              }
            />
          </Row>
          <Row title={t('prefs.formats')}>
            <AllowedFormats
              allowed={formats}
              disabled={isBusy}
              onChange={(allowedTimeFormats) => change({ allowedTimeFormats })}
            />
          </Row>
        </>
      )}
    </section>
  )
}
