import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useAccountRead } from '../../../api/queries.ts'
import { useHistoryRetention } from '../../../api/report-queries.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { useSave } from '../../../app/use-save.ts'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Action, AmountSetting } from '../../../components/setting-controls.tsx'
import { Row } from '../../../components/setting.tsx'
import { byteText, countText } from '../../../format/numbers.ts'
import { dayText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'

/** As on the server. */
const monthsMax = 1200

/** How many months of single downloads are kept, and what a run would delete. */
export function KeepCard() {
  const { data, error } = useHistoryRetention()
  const preview = useAccountRead(
    [...keys.database, 'retention', 'preview'],
    api.ext.history.retention.preview.get,
  ).data
  const saving = useSave({ stale: [keys.database, keys.operations] })
  const { isBusy: isRunning } = useJobs(['historyRetention'])
  const isOn = preview !== undefined && preview.until !== null
  return (
    <Card title={t('database.keep')} note={t('database.keepNote')}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && (
        <>
          <AmountSetting
            id="history.keepMonths"
            unit={t('database.months')}
            max={monthsMax}
            value={data.keepMonths}
            saving={saving}
            write={(keepMonths) => unwrap(api.ext.history.retention.put({ keepMonths }))}
          />
          {isOn && (
            <Row
              title={t('database.keepPlan', { day: dayText(new Date(preview.until ?? '')) })}
              note={t('database.keepPreview', {
                downloads: countText(preview.downloads),
                partitions: countText(preview.partitions),
                bytes: byteText(preview.bytes),
              })}
            >
              <Action
                label={t('database.keepRun')}
                run={() => unwrap(api.ext.history.retention.run.post())}
                done={t('database.keepStarted')}
                saving={saving}
                disabled={isRunning || preview.downloads + preview.partitions === 0}
              />
            </Row>
          )}
        </>
      )}
    </Card>
  )
}
