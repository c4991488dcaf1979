import { Card } from '../../../components/card.tsx'
import { Notice, Pending } from '../../../components/notice.tsx'
import { useNow } from '../../../app/use-now.ts'
import { byteText } from '../../../format/numbers.ts'
import { sinceText } from '../../../format/since.ts'
import { t, tn } from '../../../locales/translate.ts'
import { useEvictionOrder } from './queries.ts'

/** Longer times are fortune-telling. */
const daysMax = 3650

function whenText(days: number | null): string {
  if (days === null) return '–'
  if (days > daysMax) return t('evictNext.never')
  const whole = Math.floor(days)
  return whole < 1 ? t('evictNext.soon') : tn('evictNext.inDays', whole)
}

/** Games whose files the proxy evicts next. */
export function EvictionCard({ className }: { className: string }) {
  const { data, error } = useEvictionOrder()
  const now = useNow(60_000)
  return (
    <Card title={t('evictNext.title')} className={className}>
      {data === undefined && <Pending error={error} rows={5} />}
      {data !== undefined && data.games.length === 0 && (
        <Notice title={t('evictNext.none')}>{t('evictNext.noneText')}</Notice>
      )}
      {data !== undefined && data.games.length > 0 && (
        <>
          <ol className="divide-y divide-line">
            {data.games.slice(0, 7).map(({ key, name, bytes, lastUsedAt, inDays }) => (
              <li key={key} className="flex items-baseline gap-3 py-1.5">
                <div className="min-w-0 flex-1">
                  <p className="truncate" title={name}>
                    {name}
                  </p>
                  <p className="text-small text-dim">
                    {t('evictNext.used', { ago: sinceText(new Date(lastUsedAt), now) })}
                  </p>
                </div>
                <p className="figure shrink-0 text-right">
                  {byteText(bytes)}
                  <span className="block text-small text-dim">{whenText(inDays)}</span>
                </p>
              </li>
            ))}
          </ol>
          <p className="mt-2 text-small text-dim">
            {data.bytesPerDay !== null &&
              `${t(`evictNext.${data.basis ?? 'growth'}`, { bytes: byteText(data.bytesPerDay) })} `}
            {t('evictNext.restart')}
          </p>
        </>
      )}
    </Card>
  )
}
