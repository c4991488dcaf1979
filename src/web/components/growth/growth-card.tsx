import { useState } from 'react'
import { useSizeHistory } from '../../api/cache-queries.ts'
import { Card } from '../card.tsx'
import { Notice, Trouble } from '../notice.tsx'
import { Segments } from '../segments.tsx'
import { byteText, changeText } from '../../format/numbers.ts'
import { fullMomentText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { growthSpans, type GrowthSpan } from './growth-spans.ts'
import { GrowthChart } from './growth-chart.tsx'

interface GrowthCardProps {
  days: GrowthSpan
  onDays: (days: GrowthSpan) => void
  className: string
}

/** Sizes are measured hourly; a few missing ones are not a gap. */
const gapSecondsMin = 4 * 3600

/** Growth of the cache, from measured sizes. */
export function GrowthCard({ days, onDays, className }: GrowthCardProps) {
  const { data, error } = useSizeHistory(days)
  const [cursor, setCursor] = useState<number | null>(null)
  const points = (data?.items ?? []).map(({ takenAt, usedBytes }) => ({
    at: Date.parse(takenAt) / 1000,
    used: usedBytes,
  }))
  const [first, last] = [points[0], points.at(-1)]
  const under = cursor === null ? undefined : points[cursor]
  const total = data?.items.at(-1)?.totalBytes ?? 0
  const grown = first === undefined || last === undefined ? 0 : last.used - first.used
  const isShort = points.length < 2 || first === undefined || last === undefined
  return (
    <Card
      title={t('growth.title')}
      note={t('growth.note')}
      className={className}
      action={
        <Segments<string>
          label={t('growth.span')}
          value={String(days)}
          options={growthSpans.map((span) => ({
            value: String(span),
            label: t('growth.days', { days: span }),
          }))}
          onChange={(next) => onDays(growthSpans.find((span) => String(span) === next) ?? 30)}
        />
      }
    >
      <div className="relative min-h-[220px] flex-1">
        {data === undefined && error === null && <div className="skeleton absolute inset-0" />}
        {data === undefined && error !== null && (
          <Trouble error={error} className="absolute inset-0" />
        )}
        {data !== undefined && isShort && (
          <Notice title={t('growth.short')} className="absolute inset-0">
            {t('growth.shortText')}
          </Notice>
        )}
        {!isShort && (
          <GrowthChart
            points={points}
            limit={total}
            from={first.at}
            to={last.at}
            gapSeconds={Math.max(gapSecondsMin, 3 * (data?.bucketSeconds ?? 0))}
            label={t('growth.label')}
            onCursor={setCursor}
          />
        )}
      </div>
      {!isShort && (
        <p className="figure mt-2 flex min-h-5 flex-wrap gap-x-4 text-small text-dim">
          {under === undefined ? (
            <>
              <span>
                {t(grown >= 0 ? 'growth.grown' : 'growth.shrunk', {
                  bytes: byteText(Math.abs(grown)),
                })}{' '}
                {first.used > 0 && `(${changeText((grown / first.used) * 100)})`}
              </span>
              {total > 0 && <span>{t('growth.of', { total: byteText(total) })}</span>}
            </>
          ) : (
            <>
              <strong className="font-semibold text-text">{byteText(under.used)}</strong>
              <span className="ml-auto">{fullMomentText(new Date(under.at * 1000))}</span>
            </>
          )}
        </p>
      )}
    </Card>
  )
}
