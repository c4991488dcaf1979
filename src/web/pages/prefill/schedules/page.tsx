import { platforms } from '../../../../platforms/platforms.ts'
import { keys } from '../../../api/keys.ts'
import { useIsAccount } from '../../../api/queries.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Forbidden, Pending } from '../../../components/notice.tsx'
import { Action, ChoiceSetting, NumberSetting } from '../../../components/setting-controls.tsx'
import { Setting } from '../../../components/setting.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { PrefillFrame } from '../prefill-page.tsx'
import { BandwidthCard } from './bandwidth-card.tsx'
import { NewSchedule } from './new-schedule.tsx'
import { PersistentRowView } from './persistent-row.tsx'
import {
  forgetLogins,
  platformNamed,
  runNow,
  saveConfig,
  saveValidity,
  usePersistent,
  useScheduleConfig,
  useSchedules,
  useValidity,
  type ScheduledPrefill,
} from './queries.ts'
import { ScheduleRow } from './schedule-row.tsx'

const modes = ['killOnRestart', 'keepAcrossRestart', 'fullPersistence'] as const
const modeLabels = {
  killOnRestart: 'prefill.modeKill',
  keepAcrossRestart: 'prefill.modeKeep',
  fullPersistence: 'prefill.modeFull',
} as const
const validDays = [7, 30, 60, 90, 180, 365]

/** Sessions that stay, and what runs on a schedule. */
export function Page() {
  const isAccount = useIsAccount()
  return <PrefillFrame>{isAccount ? <Content /> : <Forbidden />}</PrefillFrame>
}

function Content() {
  const { data: config, error } = useScheduleConfig()
  return (
    <div className="grid gap-3.5">
      <PersistentCard />
      {config === undefined ? (
        <Card title={t('prefill.schedule')}>
          <Pending error={error} rows={5} />
        </Card>
      ) : (
        <Schedules config={config} />
      )}
      <BandwidthCard />
    </div>
  )
}

function PersistentCard() {
  const { data, error } = usePersistent()
  const { data: validity } = useValidity()
  const saving = useSave({ stale: [keys.prefill] })
  return (
    <Card title={t('prefill.persistent')} note={t('prefill.persistentNote')}>
      {data === undefined && <Pending error={error} rows={5} />}
      {data !== undefined &&
        platforms.map((platform) => (
          <PersistentRowView
            key={platform}
            platform={platform}
            row={data.find(({ service }) => platformNamed(service) === platform) ?? null}
          />
        ))}
      {validity !== undefined && (
        <NumberSetting
          id="prefill.validity"
          value={validity.days}
          known={validDays}
          text={(days) => tn('prefill.days', days)}
          write={saveValidity}
          saving={saving}
        />
      )}
      <div className="pt-3">
        <Action
          label={t('prefill.forget')}
          consequence={t('prefill.forgetText')}
          run={forgetLogins}
          done={t('prefill.forgotten')}
          saving={saving}
        />
      </div>
    </Card>
  )
}

function Schedules({ config }: { config: ScheduledPrefill }) {
  const { data: schedules, error } = useSchedules()
  const saving = useSave({ stale: [keys.prefill, keys.operations] })
  const { save, isBusy } = saving
  return (
    <Card
      title={t('prefill.schedule')}
      note={t('prefill.scheduleNote')}
      action={
        <Button
          className="h-8"
          disabled={isBusy}
          onClick={() => save({ run: runNow, done: t('prefill.runStarted') })}
        >
          {t('prefill.runAllNow')}
        </Button>
      }
    >
      <Setting id="prefill.scheduled" />
      {schedules === undefined && <Pending error={error} rows={5} />}
      {schedules?.map((one, index) => (
        <ScheduleRow
          key={one.id}
          held={one}
          isTop={index === 0}
          isOnly={schedules.every(({ id, platform }) => platform !== one.platform || id === one.id)}
        />
      ))}
      <NewSchedule />
      <ChoiceSetting
        id="prefill.mode"
        value={config.persistenceMode}
        options={modes.map((mode) => ({ value: mode, label: t(modeLabels[mode]) }))}
        write={(persistenceMode) => saveConfig({ ...config, persistenceMode })}
        saving={saving}
      />
    </Card>
  )
}
