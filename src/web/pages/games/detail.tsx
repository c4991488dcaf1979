import { getRouteApi, Link } from '@tanstack/react-router'
import {
  useGameReport,
  useGameTraffic,
  useSummary,
  type DownloadsSummary,
  type GameReport,
} from '../../api/report-queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { type Range } from '../../app/range.ts'
import { useRange } from '../../app/use-address.ts'
import { useNow } from '../../app/clock.ts'
import { TitlePencil } from '../../components/name-title.tsx'
import { Artwork } from '../../components/artwork.tsx'
import { Absent } from '../../components/absent.tsx'
import { FlowCard } from '../../components/flow/flow-card.tsx'
import { Ranking } from '../../components/ranking.tsx'
import { AllTime, explain, Total } from '../../components/totals.tsx'
import { Time } from '../../components/figures.tsx'
import { countText, rateText } from '../../format/numbers.ts'
import { serviceName } from '../../format/services.ts'
import { t, tn } from '../../locales/translate.ts'
import { DownloadsList } from '../../components/downloads/list.tsx'
import { SummaryTotals } from '../../components/downloads/summary-totals.tsx'
import { useClientRow } from '../../app/game-shares.ts'

const route = getRouteApi('/games/$service/$id')
const shownMax = 8

const gameTitle = (game: GameReport | undefined, service: string): string =>
  game === undefined ? serviceName(service) : (game.gameName ?? t('downloads.untitled'))

/** One game over the range: sums, traffic, clients, depots and downloads; one row of all time. */
export function Page() {
  const { service, id } = route.useParams()
  const range = useRange()
  const { data: game, error } = useGameReport(service, id)
  return (
    <PageFrame
      title={gameTitle(game, service)}
      back={{ to: '/games', label: t('nav.games') }}
      tools={<RangePicker />}
    >
      {game === undefined ? (
        <div className="card p-5">
          <Absent error={error} title={t('game.gone')} text={t('game.goneText')} />
        </div>
      ) : (
        <>
          <Head game={game} range={range} />
          {/* All filters except those that select the game. */}
          <DownloadsList fixed={{ service: undefined, group: undefined }} game={game.filter} />
        </>
      )}
    </PageFrame>
  )
}

/** Figures of the range beside the artwork, and those of all time below. */
function Head({ game, range }: { game: GameReport; range: Range }) {
  const now = useNow(60_000)
  const { data: summary } = useSummary({ Game: game.filter }, range)
  const { totals, service, gameName, evictedDownloads } = game
  return (
    <>
      <div className="gap-3.5 md:flex">
        <Artwork
          name={gameName ?? serviceName(service)}
          service={service}
          game={{ service, id: game.gameId }}
          className="mb-3 aspect-[21/9] w-full flex-none rounded-card border border-line md:aspect-video md:w-[160px]"
        />
        <div className="min-w-0 flex-1">
          <SummaryTotals label={t('game.totals')} summary={summary} range={range} hasGames={false}>
            <Total name={t('column.service')}>
              <Link to="/services/$service" params={{ service }} className="link">
                {serviceName(service)}
              </Link>
            </Total>
          </SummaryTotals>
        </div>
      </div>
      <Parts game={game} range={range} summary={summary} />
      <AllTime of="game" totals={totals}>
        <Total {...explain('game.clients', t('nav.clients'))}>{countText(game.clients)}</Total>
        <Total {...explain('game.firstSeenUtc', t('game.first'))}>
          <Time at={game.firstSeenUtc} now={now} />
        </Total>
        <Total {...explain('game.lastSeenUtc', t('game.last'))}>
          <Time at={game.lastSeenUtc} now={now} />
        </Total>
        {game.averageBytesPerSecond > 0 && (
          <Total {...explain('game.averageBytesPerSecond', t('column.speed'))}>
            {rateText(game.averageBytesPerSecond)}
          </Total>
        )}
        {evictedDownloads > 0 && (
          <Total {...explain('game.evictedDownloads', t('game.evicted'))}>
            {tn('count.downloads', evictedDownloads)}
          </Total>
        )}
      </AllTime>
    </>
  )
}

interface PartsProps {
  game: GameReport
  range: Range
  summary: DownloadsSummary | undefined
}

function Parts({ game, range, summary }: PartsProps) {
  const { data: traffic } = useGameTraffic(game.service, game.gameId, range)
  const rowOf = useClientRow()
  const clients = summary?.topClients.slice(0, shownMax).map(rowOf)
  const depots = summary?.topDepots.slice(0, shownMax).map((depot) => ({
    key: depot.titleKey,
    name: depot.name ?? String(depot.depotId ?? depot.titleKey),
    note:
      depot.depotId === null || depot.name === null
        ? tn('count.downloads', depot.downloads)
        : t('game.depot', { id: depot.depotId }),
    cached: depot.hitBytes,
    fetched: depot.missBytes,
    ...(depot.name === null && { tool: <TitlePencil titleKey={depot.titleKey} /> }),
  }))
  // An unidentified one is named here.
  const hasDepots = depots !== undefined && depots.length > (game.gameName === null ? 0 : 1)
  return (
    <div className="mb-3.5 grid gap-3.5 lg:grid-cols-12">
      <FlowCard title={t('game.course')} traffic={traffic} className="lg:col-span-12" />
      <Ranking
        title={t('nav.clients')}
        note={t('games.note')}
        rows={clients}
        empty={t('clients.none')}
        expected={shownMax}
        className={hasDepots ? 'lg:col-span-6' : 'lg:col-span-12'}
      />
      {hasDepots && (
        <Ranking
          title={t('game.depots')}
          note={t('game.depotsNote', { count: countText(summary?.depots ?? 0) })}
          rows={depots}
          empty={t('downloads.none')}
          className="lg:col-span-6"
        />
      )}
    </div>
  )
}
