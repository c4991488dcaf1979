import type { DownloadRow } from '../../api/wire.ts'
import { Card } from '../../components/card.tsx'
import { byteText, countText } from '../../format/numbers.ts'
import { dayText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { bytesPerDay } from './days.ts'

/** Bytes per day as bars; each bar tells its figures. */
export function DaysCard({ rows }: { rows: readonly DownloadRow[] }) {
  const days = bytesPerDay(rows)
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined || days.length < 2) return null
  const most = Math.max(...days.map(({ cached, fetched }) => cached + fetched))
  const note = t('game.daysNote', { count: countText(rows.length) })
  return (
    <Card title={t('game.days')} note={note} className="mb-3">
      <ol className="flex h-28 items-end gap-px border-b border-line">
        {days.map(({ at, cached, fetched }) => {
          const label = `${dayText(new Date(at))}: ${byteText(cached + fetched)}`
          return (
            <li key={at} title={label} className="flex h-full min-w-0 flex-1 flex-col justify-end">
              <span className="sr-only">{label}</span>
              <span
                className="bg-fetched opacity-75"
                style={{ height: `${(fetched / most) * 100}%` }}
              />
              <span className="bg-cache" style={{ height: `${(cached / most) * 100}%` }} />
            </li>
          )
        })}
      </ol>
      <p aria-hidden="true" className="mt-1.5 flex justify-between text-tiny text-dim">
        <span>{dayText(new Date(first.at))}</span>
        <span>{dayText(new Date(last.at))}</span>
      </p>
    </Card>
  )
}
