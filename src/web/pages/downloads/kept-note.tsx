import { useHistoryRetention } from '../../api/report-queries.ts'
import { useNow } from '../../app/use-now.ts'
import { periodOf, type Range } from '../../app/range.ts'
import { dayText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'

/** Says since when single downloads are kept, where the range begins before. */
export function KeptNote({ range }: { range: Range }) {
  const now = useNow(60_000)
  const since = useHistoryRetention().data?.keptSince ?? null
  const { startTime = 0 } = periodOf(range, now) ?? {}
  if (since === null || startTime * 1000 >= Date.parse(since)) return null
  const values = { day: dayText(new Date(since)) }
  return <p className="mb-3 text-small text-dim">{t('downloads.keptSince', values)}</p>
}
