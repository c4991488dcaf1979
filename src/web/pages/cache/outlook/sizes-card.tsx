import { useState } from 'react'
import type { SizeCurve } from '../../../../cache/sizes/model.ts'
import { Card } from '../../../components/card.tsx'
import { Notice, Pending } from '../../../components/notice.tsx'
import { Segments } from '../../../components/segments.tsx'
import { byteText, byteTick, countText, percentText } from '../../../format/numbers.ts'
import { dayText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { useSizeCurves } from './queries.ts'
import { SizeChart } from './size-chart.tsx'

/** What caches of other sizes would have served. */
export function SizesCard({ className }: { className: string }) {
  const { data, error } = useSizeCurves()
  const [chosen, setChosen] = useState<string | null>(null)
  const items = data?.items ?? []
  const curve = items.find(({ datasource }) => datasource === chosen) ?? items[0]
  return (
    <Card
      title={t('sizes.title')}
      note={data === undefined ? '' : t('sizes.note', { days: data.windowDays })}
      className={className}
      action={
        items.length > 1 && (
          <Segments<string>
            label={t('sizes.which')}
            value={curve?.datasource ?? ''}
            options={items.map(({ datasource }) => ({ value: datasource, label: datasource }))}
            onChange={setChosen}
          />
        )
      }
    >
      {data === undefined && <Pending error={error} rows={4} />}
      {data !== undefined && (curve === undefined || curve.state !== 'ready') && (
        <Notice title={t('sizes.tooLittle')}>
          {t(curve?.state === 'tooFewObjects' ? 'sizes.tooFewText' : 'sizes.tooLittleText')}
        </Notice>
      )}
      {curve?.state === 'ready' && <Curve curve={curve} />}
    </Card>
  )
}

/** A measured share this far from the predicted one is that of another cache. */
const farApart = 0.15

const percent = (share: number) => percentText(share * 100)

function Curve({ curve }: { curve: SizeCurve }) {
  const [cursor, setCursor] = useState<number | null>(null)
  const { today, more, measured, points, objects, error, since } = curve
  const under = cursor === null ? undefined : points[cursor]
  return (
    <>
      {today !== null && more !== null && (
        <p className="mb-1 text-[15px] font-semibold">
          {t('sizes.more', {
            more: byteTick(more.bytes - today.bytes),
            from: percent(today.byBytes),
            to: percent(more.byBytes),
          })}
        </p>
      )}
      {today !== null && (
        <p className="text-small text-dim">
          {t('sizes.measured', {
            size: byteText(today.bytes),
            predicted: percent(today.byBytes),
            measured: percent(measured.byBytes),
          })}
          {Math.abs(today.byBytes - measured.byBytes) > farApart && ` ${t('sizes.differs')}`}
        </p>
      )}
      <div className="relative mt-2 min-h-[220px] flex-1">
        <SizeChart curve={curve} onCursor={setCursor} />
      </div>
      <p className="figure mt-2 min-h-5 text-small text-dim">
        {under === undefined
          ? t('sizes.error', {
              points: countText(Math.ceil(error * 1000) / 10),
              files: countText(objects),
              day: since === null ? '–' : dayText(new Date(since)),
            })
          : t('sizes.under', {
              size: byteText(under.bytes),
              bytes: percent(under.byBytes),
              requests: percent(under.byRequests),
            })}
      </p>
    </>
  )
}
