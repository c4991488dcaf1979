import { getRouteApi } from '@tanstack/react-router'
import {
  useServiceReport,
  useServiceTraffic,
  useSummary,
  type ServiceReport,
} from '../../api/report-queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { type Range } from '../../app/range.ts'
import { useRange } from '../../app/use-address.ts'
import { useNow } from '../../app/clock.ts'
import { Figure, Time } from '../../components/figures.tsx'
import { Absent } from '../../components/absent.tsx'
import { FlowCard } from '../../components/flow/flow-card.tsx'
import { Ranking } from '../../components/ranking.tsx'
import { AllTime, explain, Total } from '../../components/totals.tsx'
import { countText, rateAmount } from '../../format/numbers.ts'
import { serviceName } from '../../format/services.ts'
import { useSpeeds } from '../../live/store.ts'
import { t } from '../../locales/translate.ts'
import { DownloadsList } from '../../components/downloads/list.tsx'
import { SummaryTotals } from '../../components/downloads/summary-totals.tsx'
import { gameRows, useClientRow } from '../../app/game-shares.ts'

const route = getRouteApi('/services/$service')
const shownMax = 6

/** One service over the range: sums, traffic, games and clients; one row of all time. */
export function Page() {
  const { service } = route.useParams()
  const range = useRange()
  const { data: report, error } = useServiceReport(service)
  return (
    <PageFrame
      title={serviceName(service)}
      back={{ to: '/games', label: t('nav.games') }}
      tools={<RangePicker />}
    >
      {report === undefined ? (
        <div className="card p-5">
          <Absent error={error} title={t('service.gone')} text={t('service.goneText')} />
        </div>
      ) : (
        <>
          <Known report={report} range={range} />
          <DownloadsList order="largest" fixed={{ service: report.service, group: 'game' }} />
        </>
      )}
    </PageFrame>
  )
}

function Known({ report, range }: { report: ServiceReport; range: Range }) {
  const now = useNow(15_000)
  const { data: summary } = useSummary({ Service: report.service }, range)
  const { data: traffic } = useServiceTraffic(report.service, range)
  const live = useSpeeds()?.gameSpeeds ?? []
  const rate = live
    .filter((game) => report.names.includes(game.service) || game.service === report.service)
    .reduce((sum, { bytesPerSecond }) => sum + bytesPerSecond, 0)
  const rowOf = useClientRow()
  const clients = summary?.topClients.slice(0, shownMax).map(rowOf)
  return (
    <>
      <SummaryTotals label={t('service.totals')} summary={summary} range={range}>
        <Total name={t('lead.now')}>
          <Figure amount={rateAmount(rate)} className="live-figure" />
        </Total>
      </SummaryTotals>
      <div className="mb-3.5 grid gap-3.5 lg:grid-cols-12">
        <FlowCard title={t('service.course')} traffic={traffic} className="lg:col-span-12" />
        <Ranking
          title={t('nav.games')}
          note={t('games.note')}
          rows={gameRows(summary?.topGames.slice(0, shownMax))}
          empty={t('games.none')}
          expected={shownMax}
          className="lg:col-span-7"
        />
        <Ranking
          title={t('nav.clients')}
          note={t('games.note')}
          rows={clients}
          empty={t('clients.none')}
          expected={shownMax}
          className="lg:col-span-5"
        />
      </div>
      <AllTime of="service" totals={report.totals}>
        <Total {...explain('service.games', t('nav.games'))}>{countText(report.games)}</Total>
        <Total {...explain('service.clients', t('nav.clients'))}>{countText(report.clients)}</Total>
        <Total {...explain('service.firstSeenUtc', t('game.first'))}>
          <Time at={report.firstSeenUtc} now={now} />
        </Total>
        <Total {...explain('service.lastSeenUtc', t('game.last'))}>
          <Time at={report.lastSeenUtc} now={now} />
        </Total>
      </AllTime>
    </>
  )
}
