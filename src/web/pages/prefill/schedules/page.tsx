import { Link } from '@tanstack/react-router'
import {
  hasAccounts,
  platformFacts,
  platformOf,
  platforms,
} from '../../../../platforms/platforms.ts'
import { keys } from '../../../api/keys.ts'
import { usePrefillSchedules } from '../../../api/prefill-schedules.ts'
import { useIsAccount } from '../../../api/queries.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/button.tsx'
import { Settled } from '../../../components/settled.tsx'
import { Card } from '../../../components/card.tsx'
import { Forbidden, Pending } from '../../../components/notice.tsx'
import { ChoiceSetting } from '../../../components/setting-controls.tsx'
import { Row, Setting } from '../../../components/setting.tsx'
import { t } from '../../../locales/translate.ts'
import { AccountState } from '../../../components/platforms/account-row.tsx'
import { usePersistent, usePrefillAccounts } from '../../../api/account-queries.ts'
import { SessionState } from '../../../components/platforms/session-row.tsx'
import { PrefillFrame } from '../prefill-page.tsx'
import { BandwidthCard } from './bandwidth-card.tsx'
import { NewSchedule } from './new-schedule.tsx'
import { runNow, saveConfig, useScheduleConfig, type ScheduledPrefill } from './queries.ts'
import { ScheduleRow } from './schedule-row.tsx'

const modes = ['killOnRestart', 'keepAcrossRestart', 'fullPersistence'] as const
const modeLabels = {
  killOnRestart: 'prefill.modeKill',
  keepAcrossRestart: 'prefill.modeKeep',
  fullPersistence: 'prefill.modeFull',
} as const

/** What runs on a schedule, and with which accounts. */
export function Page() {
  const isAccount = useIsAccount()
  return <PrefillFrame>{isAccount ? <Content /> : <Forbidden />}</PrefillFrame>
}

function Content() {
  const { data: config, error } = useScheduleConfig()
  return (
    <Settled page="/prefill/schedules">
      <AccountsCard />
      {config === undefined ? (
        <Card title={t('prefill.schedule')}>
          <Pending error={error} rows={5} />
        </Card>
      ) : (
        <Schedules config={config} />
      )}
      <BandwidthCard />
    </Settled>
  )
}

/** Whether each platform has an account, or a session, that schedules can use. */
function AccountsCard() {
  const { data: accounts, error } = usePrefillAccounts()
  const { data: sessions } = usePersistent()
  const isThere = accounts !== undefined && sessions !== undefined
  return (
    <Card
      title={t('prefill.accounts')}
      note={t('prefill.accountsNote')}
      action={
        <Link to="/settings/platform-accounts" className="control h-8">
          {t('prefill.edit')}
        </Link>
      }
    >
      {!isThere && <Pending error={error} rows={platforms.length} />}
      {isThere &&
        platforms.map((platform) => (
          <Row key={platform} title={platformFacts[platform].title}>
            <div className="space-y-1 text-small text-dim">
              {hasAccounts(platform) ? (
                accounts
                  .filter((account) => account.platform === platform)
                  .map((account) => <AccountState key={account.id} account={account} />)
              ) : (
                <SessionState
                  session={sessions.find(({ service }) => platformOf(service) === platform) ?? null}
                />
              )}
            </div>
          </Row>
        ))}
    </Card>
  )
}

function Schedules({ config }: { config: ScheduledPrefill }) {
  const { data: schedules, error } = usePrefillSchedules()
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
