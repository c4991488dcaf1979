import type { SizeCurve } from '../../../../cache/sizes/model.ts'
import { ChartFrame, type Plot } from '../../../components/flow/chart-frame.tsx'
import { areaPath, linePath, type Point } from '../../../components/flow/paths.ts'
import { amountTicks } from '../../../components/flow/ticks.ts'
import { byteText, byteTick, percentText } from '../../../format/numbers.ts'
import { t } from '../../../locales/translate.ts'

interface SizeChartProps {
  curve: SizeCurve
  onCursor: (index: number | null) => void
}

/** Shares above this would leave no line of the axis above the curve. */
const headroom = 1.1
/** Space for the text beside a mark, in pixels. */
const markWidth = 90

/** Hit rate by the size of the cache, with the present size and the end of the disk. */
export function SizeChart({ curve, onCursor }: SizeChartProps) {
  const { points, today, diskBytes } = curve
  const last = points.at(-1)?.bytes ?? 1
  const most = Math.max(0.01, ...points.map(({ byBytes }) => byBytes))
  return (
    <ChartFrame
      label={t('sizes.chart')}
      from={0}
      to={last}
      top={Math.min(1, most * headroom)}
      amountText={(share) => percentText(share * 100)}
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
