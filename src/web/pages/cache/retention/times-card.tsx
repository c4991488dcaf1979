import { api, unwrap } from '../../../api/eden.ts'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Setting } from '../../../components/setting.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { Choice, numberOptions } from '../../../components/choice.tsx'
import { useSave } from '../../../app/use-save.ts'
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
  const { change: store, isBusy } = useSave({ stale: [retentionKey] })
  type Settings = NonNullable<typeof data>
  const put = (settings: Settings) => unwrap(api.ext.retention.settings.put(settings))
  const change = (part: Partial<Settings>) => {
    if (data !== undefined) store(put, [{ ...data, ...part }, data], t('retention.saved'))
  }
  return (
    <Card title={t('retention.times')}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && (
        <>
          <Setting id="retention.undoHours">
            <Choice
              value={String(data.undoHours)}
              options={numberOptions(hours, data.undoHours, hoursText)}
              disabled={!canChange || isBusy}
              onChange={(value) => change({ undoHours: Number(value) })}
            />
          </Setting>
          <Setting id="retention.sparedDays">
            <Choice
              value={String(data.sparedDays)}
              options={numberOptions(days, data.sparedDays, (count) => tn('retention.days', count))}
              disabled={!canChange || isBusy}
              onChange={(value) => change({ sparedDays: Number(value) })}
            />
          </Setting>
        </>
      )}
    </Card>
  )
}
