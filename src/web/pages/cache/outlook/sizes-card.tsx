import { useState } from 'react'
import type { SizeCurve } from '../../../../cache/sizes/model.ts'
import { Card, Notice, Pending } from '../../../components/card.tsx'
import { Segments } from '../../../components/form-controls.tsx'
import { byteText, byteTick, countText, percentText, percentTick } from '../../../format/numbers.ts'
import { dayText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { useSizeCurves } from './queries.ts'
import { ChartFrame, type Plot } from '../../../components/flow/chart-frame.tsx'
import { areaPath, linePath, type Point } from '../../../components/flow/paths.ts'
import { amountTicks } from '../../../components/flow/ticks.ts'

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

interface SizeChartProps {
  curve: SizeCurve
  onCursor: (index: number | null) => void
}

/** Shares above this would leave no line of the axis above the curve. */
const headroom = 1.1
/** Space for the text beside a mark, in pixels. */
const markWidth = 90

/** Hit rate by the size of the cache, with the present size and the end of the disk. */
function SizeChart({ curve, onCursor }: SizeChartProps) {
  const { points, today, diskBytes } = curve
  const last = points.at(-1)?.bytes ?? 1
  const most = Math.max(0.01, ...points.map(({ byBytes }) => byBytes))
  return (
    <ChartFrame
      label={t('sizes.chart')}
      from={0}
      to={last}
      top={Math.min(1, most * headroom)}
      amountText={(share) => percentTick(share * 100)}
      ticks={(wanted) => amountTicks(last, wanted)}
      tickText={byteTick}
      moments={points.map(({ bytes }) => bytes)}
      onCursor={onCursor}
    >
      {(plot, index) => {
        const under = index === null ? undefined : points[index]
        const line: Point[] = [
          [plot.left, plot.ground],
          ...points.map(({ bytes, byBytes }): Point => [plot.x(bytes), plot.y(byBytes)]),
        ]
        return (
          <>
            <path d={areaPath([line], plot.ground)} className="area-cache" />
            <path d={linePath([line])} className="stroke-cache" strokeWidth="1.5" fill="none" />
            {diskBytes !== null && diskBytes !== today?.bytes && (
              <Mark plot={plot} at={diskBytes} text={t('sizes.disk')} row={1} />
            )}
            {today !== null && (
              <Mark plot={plot} at={today.bytes} text={t('sizes.today')} row={0} />
            )}
            {[today, under].map(
              (point) => point && <Dot key={point.bytes} plot={plot} {...point} />,
            )}
          </>
        )
      }}
    </ChartFrame>
  )
}

const Dot = ({ plot, bytes, byBytes }: { plot: Plot; bytes: number; byBytes: number }) => (
  <circle
    aria-hidden="true"
    cx={plot.x(bytes)}
    cy={plot.y(byBytes)}
    r="3.5"
    strokeWidth="1.5"
    className="fill-panel stroke-cache"
  />
)

interface MarkProps {
  plot: Plot
  at: number
  text: string
  /** Texts of neighbours are below one another. */
  row: number
}

function Mark({ plot, at, text, row }: MarkProps) {
  const x = plot.x(at)
  const isRight = x + markWidth < plot.right
  return (
    <g aria-hidden="true">
      <path
        d={`M${x},${plot.ceiling}V${plot.ground}`}
        className="stroke-edge"
        strokeDasharray="5 4"
      />
      <text
        x={x + (isRight ? 6 : -6)}
        y={plot.ground - 8 - 15 * row}
        textAnchor={isRight ? 'start' : 'end'}
        className="fill-text"
      >
        {text} {byteText(at)}
      </text>
    </g>
  )
}
