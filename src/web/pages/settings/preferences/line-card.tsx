import type { DataCap } from '../../../../dashboard/data-cap/model.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useDataCap } from '../../../app/data-cap.ts'
import { useSave } from '../../../app/use-save.ts'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { ChoiceSetting, NumberSetting } from '../../../components/setting-controls.tsx'
import { percentText } from '../../../format/numbers.ts'
import { t } from '../../../locales/translate.ts'
import { DecimalSetting } from './savings-card.tsx'

const gigabyte = 1e9
const marks = [null, 50, 60, 70, 75, 80, 85, 90, 95, 100]
const markText = (percent: number | null) =>
  percent === null ? t('controls.never') : percentText(percent)
const daysOfMonth = Array.from({ length: 31 }, (_, at) => at + 1)

/** The monthly volume of the line, and when prefill pauses; of the installation. */
export function LineCard() {
  const { data, error } = useDataCap()
  const saving = useSave({ stale: [keys.dataCap, keys.prefill] })
  if (data === undefined) return <Pending error={error} rows={3} />
  const { capBytes, firstDay, pausePercent } = data
  const put = (part: Partial<DataCap>) =>
    unwrap(api.ext['data-cap'].put({ capBytes, firstDay, pausePercent, ...part }))
  return (
    <Card title={t('line.title')}>
      <DecimalSetting
        id="line.volume"
        value={capBytes === null ? null : capBytes / gigabyte}
        unit="GB"
        range={[1, 1_000_000]}
        write={(volume) =>
          put({ capBytes: volume === null ? null : Math.round(volume * gigabyte) })
        }
        saving={saving}
      />
      <NumberSetting
        id="line.firstDay"
        value={firstDay}
        known={daysOfMonth}
        text={String}
        write={(day) => put({ firstDay: day })}
        saving={saving}
      />
      <ChoiceSetting
        id="line.pause"
        value={pausePercent}
        options={marks.map((percent) => ({ value: percent, label: markText(percent) }))}
        write={(percent) => put({ pausePercent: percent })}
        saving={saving}
      />
    </Card>
  )
}
