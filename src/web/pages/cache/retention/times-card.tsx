import { api, unwrap } from '../../../api/eden.ts'
import { useSave } from '../../../app/use-save.ts'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { NumberSetting } from '../../../components/setting-controls.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { retentionKey, useRetentionSettings } from './queries.ts'

const hours = [0, 1, 6, 12, 24, 48, 72, 168, 336]
const days = [1, 7, 14, 30, 90, 180, 365]

const hoursText = (count: number): string =>
  count === 0
    ? t('retention.atOnce')
    : count >= 48 && count % 24 === 0
      ? tn('retention.days', count / 24)
      : tn('retention.hours', count)

/** How long listed games wait before they are removed. */
export function TimesCard({ canChange }: { canChange: boolean }) {
  const { data, error } = useRetentionSettings()
  const saving = useSave({ stale: [retentionKey] })
  const common = { saving, saved: () => t('retention.saved'), disabled: !canChange }
  type Settings = NonNullable<typeof data>
  const put = (settings: Settings) => unwrap(api.ext.retention.settings.put(settings))
  return (
    <Card title={t('retention.times')}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && (
        <>
          <NumberSetting
            id="retention.undoHours"
            value={data.undoHours}
            known={hours}
            text={hoursText}
            write={(undoHours) => put({ ...data, undoHours })}
            {...common}
          />
          <NumberSetting
            id="retention.sparedDays"
            value={data.sparedDays}
            known={days}
            text={(count) => tn('retention.days', count)}
            write={(sparedDays) => put({ ...data, sparedDays })}
            {...common}
          />
        </>
      )}
    </Card>
  )
}
