import { useIsAccount } from '../../api/queries.ts'
import { useSummary, useHistoryRetention } from '../../api/report-queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { periodOf } from '../../app/range.ts'
import { downloadsQuery } from '../../app/search-state.ts'
import { useDownloadsSearch, useRange } from '../../app/use-address.ts'
import { Card } from '../../components/card.tsx'
import { rateText } from '../../format/numbers.ts'
import { useSpeeds } from '../../live/store.ts'
import { t } from '../../locales/translate.ts'
import { NowRows } from '../../components/now-rows.tsx'
import { DownloadsList } from '../../components/downloads/list.tsx'
import { SummaryTotals } from '../../components/downloads/summary-totals.tsx'
import { ViewsMenu } from './views-menu.tsx'
import { useNow } from '../../app/clock.ts'
import { dayText } from '../../format/times.ts'

/** Shown without a click; the rest is counted. */
const activeMax = 12

export function Page() {
  const isAccount = useIsAccount()
  return (
    <PageFrame title={t('nav.downloads')} tools={<RangePicker />}>
      <Head />
      <ActiveNow />
      <KeptNote />
      <DownloadsList extra={isAccount && <ViewsMenu />} />
    </PageFrame>
  )
}

/** Sums over the listed downloads. */
function Head() {
  const range = useRange()
  const { search } = useDownloadsSearch()
  const { data } = useSummary(downloadsQuery(search), range)
  return <SummaryTotals label={t('downloads.head')} summary={data} range={range} />
}

/** Speeds of the current transfers that match the service and client filters. */
function ActiveNow() {
  const { search } = useDownloadsSearch()
  const speeds = useSpeeds()
  const games = (speeds?.gameSpeeds ?? []).filter(
    ({ service, clientIp }) =>
      (search.service ?? service) === service && (search.client ?? clientIp) === clientIp,
  )
  const total = games.reduce((sum, { bytesPerSecond }) => sum + bytesPerSecond, 0)
  return (
    <Card
      title={t('now.title')}
      note={games.length === 0 ? t('downloads.idle') : rateText(total)}
      className="mb-3"
    >
      {/* Of one height, so that the list below stays where it is while transfers come and go. */}
      <div
        role="group"
        aria-label={t('now.title')}
        // Keys scroll it where its rows are no links.
        tabIndex={0}
        className="h-[177px] overflow-y-auto md:h-[118px]"
      >
        <NowRows
          games={games}
          shownMax={activeMax}
          className="content-start gap-x-8 md:grid md:grid-cols-2 xl:grid-cols-3"
        />
      </div>
    </Card>
  )
}

/** Says since when single downloads are kept, where the range begins before. */
function KeptNote() {
  const now = useNow(60_000)
  const since = useHistoryRetention().data?.keptSince ?? null
  const { startTime = 0 } = periodOf(useRange(), now) ?? {}
  if (since === null || startTime * 1000 >= Date.parse(since)) return null
  const values = { day: dayText(new Date(since)) }
  return <p className="mb-3 text-small text-dim">{t('downloads.keptSince', values)}</p>
}
