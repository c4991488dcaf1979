import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Card } from '../../../components/card.tsx'
import { Pending, Trouble } from '../../../components/notice.tsx'
import { Row, Setting, StateLine } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { Button } from '../../../components/button.tsx'
import { byteText } from '../../../format/numbers.ts'
import { t } from '../../../locales/translate.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { useSave } from '../../../app/use-save.ts'
import { AmountSetting } from './amount-setting.tsx'
import { LogRetentionFiles } from './retention-files.tsx'
import { logsKey, useLogRetention, useLogRetentionStatus, type LogRetention } from './queries.ts'

/** Maximum values, as on the server. */
const most = { mebibytes: 1_048_576, days: 3660, gibibytes: 1_048_576 }

/** Log rotation and retention: rotation, compression and deletion, with a dry run. */
export function LogRetentionCard() {
  const { data, error } = useLogRetention()
  const status = useLogRetentionStatus()
  const { save, change: store, isBusy } = useSave({ stale: [logsKey, keys.operations] })
  const { isBusy: isRunning } = useJobs(['logRotation'])
  const put = (settings: LogRetention) => unwrap(api.ext.logs.retention.put(settings))
  const change = (part: Partial<LogRetention>) => {
    if (data !== undefined) store(put, [{ ...data, ...part }, data], t('logs.retentionSaved'))
  }
  const isOn = data?.isEnabled === true
  const canRotate = status.data?.reopen.canReopen !== false
  const sources = status.data?.datasources ?? []
  const freed = sources.reduce((sum, { bytesToDelete }) => sum + bytesToDelete, 0)
  const safe = sources.reduce((sum, { bytesSafeToDelete }) => sum + bytesSafeToDelete, 0)
  return (
    <Card title={t('logs.retention')} note={t('logs.retentionNote')}>
      {data === undefined && <Pending error={error} rows={4} />}
      {data !== undefined && (
        <>
          <Setting id="logs.retentionOn">
            <Switch isOn={isOn} disabled={isBusy} onChange={(isEnabled) => change({ isEnabled })} />
          </Setting>
          <PolicySettings policy={data} canRotate={canRotate} isBusy={isBusy} onChange={change} />
          <Row
            title={t('logs.plan')}
            note={
              <>
                {t('logs.safeBytes', { bytes: byteText(safe) })}{' '}
                {t(isOn ? 'logs.willDelete' : 'logs.wouldDelete', { bytes: byteText(freed) })}
              </>
            }
          >
            <Button
              disabled={!isOn || isBusy || isRunning}
              onClick={() =>
                save({
                  run: () => unwrap(api.ext.logs.retention.run.post()),
                  done: t('logs.retentionStarted'),
                })
              }
            >
              {t('logs.runNow')}
            </Button>
          </Row>
        </>
      )}
      {status.data === undefined && status.error !== null && <Trouble error={status.error} />}
      {sources.map((source) => (
        <LogRetentionFiles key={source.datasource} source={source} isOn={isOn} />
      ))}
    </Card>
  )
}

interface PolicySettingsProps {
  policy: LogRetention
  canRotate: boolean
  isBusy: boolean
  onChange: (part: Partial<LogRetention>) => void
}

/** Each action on files, and its threshold. */
function PolicySettings({ policy, canRotate, isBusy, onChange }: PolicySettingsProps) {
  return (
    <>
      <AmountSetting
        id="logs.rotateSize"
        unit="MiB"
        value={policy.rotateAboveMib}
        max={most.mebibytes}
        isBusy={isBusy}
        onChange={(rotateAboveMib) => onChange({ rotateAboveMib })}
      />
      <AmountSetting
        id="logs.rotateAge"
        state={!canRotate && <StateLine tone="attention">{t('logs.cannotRotate')}</StateLine>}
        unit={t('logs.daysUnit')}
        value={policy.rotateAfterDays}
        max={most.days}
        isBusy={isBusy}
        onChange={(rotateAfterDays) => onChange({ rotateAfterDays })}
      />
      <Setting id="logs.compress">
        <Switch
          isOn={policy.compresses}
          disabled={isBusy}
          onChange={(compresses) => onChange({ compresses })}
        />
      </Setting>
      <AmountSetting
        id="logs.keepDays"
        unit={t('logs.daysUnit')}
        value={policy.keepDays}
        max={most.days}
        isBusy={isBusy}
        onChange={(keepDays) => onChange({ keepDays })}
      />
      <AmountSetting
        id="logs.keepSize"
        unit="GiB"
        value={policy.keepGib}
        max={most.gibibytes}
        isBusy={isBusy}
        onChange={(keepGib) => onChange({ keepGib })}
      />
    </>
  )
}
