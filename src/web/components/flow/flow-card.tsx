import { useState } from 'react'
import type { Traffic } from '../../api/report-queries.ts'
import type { Series } from '../../live/samples.ts'
import { t } from '../../locales/translate.ts'
import { Card, Notice } from '../card.tsx'
import { FlowChart } from './flow-chart.tsx'
import { FlowLegend } from './flow-legend.tsx'
import { flowNote } from './ticks.ts'

interface Point {
  /** Start of the bucket, Unix seconds. */
  at: number
  hitBytes: number
  missBytes: number
}

/** Converts bytes per bucket to bytes per second at the middle of each bucket, for the chart. */
export function flowOf(points: readonly Point[], bucketMinutes: number): Series {
  const seconds = Math.max(1, bucketMinutes * 60)
  return [
    points.map(({ at }) => at + seconds / 2),
    points.map(({ hitBytes }) => hitBytes / seconds),
    points.map(({ hitBytes, missBytes }) => (hitBytes + missBytes) / seconds),
  ]
}

/** Means over hours or days are small; bytes per second. */
const thingLeast = 1000

type Bucket = Pick<Traffic['series'][number], 'startTimeUtc' | 'hitBytes' | 'missBytes'>

interface FlowCardProps {
  title: string
  /** Undefined while loading. */
  traffic: { bucketMinutes: number; series: readonly Bucket[] } | undefined
  className?: string
}

/** The traffic of one item over time. */
export function FlowCard({ title, traffic, className }: FlowCardProps) {
  const [cursor, setCursor] = useState<number | null>(null)
  const { bucketMinutes = 60 } = traffic ?? {}
  const points = traffic?.series.map(({ startTimeUtc, hitBytes, missBytes }) => ({
    at: new Date(startTimeUtc).getTime() / 1000,
    hitBytes,
    missBytes,
  }))
  const series = flowOf(points ?? [], bucketMinutes)
  const first = points?.[0]?.at ?? 0
  const last = (points?.at(-1)?.at ?? 0) + bucketMinutes * 60
  const isEmpty = series[0].length < 2
  return (
    <Card
      title={title}
      {...(isEmpty ? {} : { note: flowNote(bucketMinutes * 60) })}
      className={className}
    >
      <div className="relative min-h-[196px] flex-1">
        {points === undefined ? (
          <div className="skeleton absolute inset-0" />
        ) : isEmpty ? (
          <Notice title={t('flow.short')} className="absolute inset-0" />
        ) : (
          <FlowChart
            series={series}
            from={first}
            to={last}
            label={title}
            least={thingLeast}
            onCursor={setCursor}
          />
        )}
      </div>
      <FlowLegend series={series} index={cursor} />
    </Card>
  )
}
