import { Link } from '@tanstack/react-router'
import { useSavings } from '../../../api/queries.ts'
import { useDataCap } from '../../../app/data-cap.ts'
import { Card } from '../../../components/card.tsx'
import { StateLine } from '../../../components/setting.tsx'
import { byteText, percentText, share } from '../../../format/numbers.ts'
import { dayText } from '../../../format/times.ts'
import { region, t } from '../../../locales/translate.ts'

/** What the cache has used of the line's monthly volume; nothing until one is set. */
export function VolumeCard({ className }: { className: string }) {
  const { data } = useDataCap()
  const price = useSavings().data
  const use = data?.use ?? null
  if (data === undefined || data.capBytes === null || use === null) return null
  const { usedBytes, expectedBytes, isReached, fromUtc, untilUtc } = use
  const percent = share(usedBytes, data.capBytes)
  const expected = expectedBytes === null ? null : share(expectedBytes, data.capBytes)
  const money = (bytes: number) =>
    price === undefined || price.pricePerGb === null
      ? ''
      : ` (${new Intl.NumberFormat(region(), { style: 'currency', currency: price.currency }).format((bytes / 1e9) * price.pricePerGb)})`
  const [from, until] = [dayText(new Date(fromUtc)), dayText(new Date(untilUtc))]
  return (
    <Card
      title={t('volume.title')}
      note={t('volume.note', { from, until })}
      className={className}
      action={
        <Link to="/settings/preferences" hash="line.volume" className="hover:text-text">
          {t('volume.change')} ›
        </Link>
      }
    >
      <p className="text-[15px] font-semibold">
        {t('volume.used', {
          used: `${byteText(usedBytes)}${money(usedBytes)}`,
          cap: byteText(data.capBytes),
          percent: percentText(percent),
        })}
      </p>
      <span aria-hidden="true" className="mt-2.5 flex h-1.5 overflow-hidden rounded-bar bg-raise">
        <span
          className={isReached ? 'bg-fetched' : 'bg-cache'}
          style={{ width: `${Math.min(100, percent)}%` }}
        />
      </span>
      <p className="mt-2 text-small text-dim">
        {expected !== null &&
          expectedBytes !== null &&
          `${t('volume.expected', {
            bytes: `${byteText(expectedBytes)}${money(expectedBytes)}`,
            percent: percentText(expected),
          })} `}
        {t('volume.others')}
      </p>
      {data.pausePercent !== null && (
        <p className="mt-2 text-[13px]">
          <StateLine tone={isReached ? 'attention' : 'quiet'}>
            {isReached
              ? t('volume.paused', { until })
              : t('volume.pauses', { percent: percentText(data.pausePercent) })}
          </StateLine>
        </p>
      )}
    </Card>
  )
}
