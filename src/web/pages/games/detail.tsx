import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useGame } from '../../api/queries.ts'
import type { DownloadRow } from '../../api/wire.ts'
import { Page } from '../../app/page.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { readRange, writeRange, type Range } from '../../app/range.ts'
import { downloadsSearch, type DownloadsSearch } from '../../app/search-state.ts'
import { useNow } from '../../app/use-now.ts'
import { Notice, Trouble, Waiting } from '../../components/notice.tsx'
import { Total, Totals } from '../../components/totals.tsx'
import { countText } from '../../format/numbers.ts'
import { serviceName, titleOf } from '../../format/services.ts'
import { fullMomentText, momentText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { DownloadsList } from '../downloads/list.tsx'

const route = getRouteApi('/games/$service/$id')

/** One game: its totals, and who downloaded it when. */
export function GamePage() {
  const { service, id } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const range = readRange(search)
  const { data: game, error } = useGame(service, id, range)
  const change = useCallback(
    (part: Partial<DownloadsSearch>) => {
      const next = downloadsSearch({ ...search, page: undefined, ...part })
      const params = { service, id }
      void navigate({ to: '/games/$service/$id', params, search: next, resetScroll: false })
    },
    [navigate, search, service, id],
  )
  const title = game ? titleOf(game.appName) : serviceName(service)
  return (
    <Page
      title={title}
      before={
        <Link
          to="/games"
          search={writeRange(range)}
          className="text-small text-dim hover:text-text"
        >
          ‹ {t('nav.games')}
        </Link>
      }
      tools={<RangePicker value={range} onChange={(next) => change(writeRange(next))} />}
    >
      {game ? (
        <Known game={game} range={range} search={search} onChange={change} />
      ) : (
        <div className="card p-5">
          {game === null ? (
            <Notice title={t('game.none')} className="py-16">
              <p className="mb-3">{t('game.noneText')}</p>
              {'span' in range && range.span === 'all' ? null : (
                <button
                  type="button"
                  className="control"
                  onClick={() => change(writeRange({ span: 'all' }))}
                >
                  {t('game.allTime')}
                </button>
              )}
            </Notice>
          ) : error === null ? (
            <Waiting rows={4} />
          ) : (
            <Trouble error={error} className="py-16" />
          )}
        </div>
      )}
    </Page>
  )
}

interface KnownProps {
  game: DownloadRow
  range: Range
  search: DownloadsSearch
  onChange: (part: Partial<DownloadsSearch>) => void
}

function Known({ game, range, search, onChange }: KnownProps) {
  const { service, appName } = game
  const now = useNow(60_000)
  const moment = (at: string) => (
    <time dateTime={at} title={fullMomentText(new Date(at))}>
      {momentText(new Date(at), now)}
    </time>
  )
  return (
    <>
      <Totals
        label={t('game.totals')}
        cached={game.cacheHitBytes}
        fetched={game.cacheMissBytes}
        downloads={game.requestCount}
      >
        <Total name={t('nav.clients')}>{countText(game.clientIps.length)}</Total>
        <Total name={t('column.service')}>
          <Link
            to="/services/$service"
            params={{ service }}
            search={writeRange(range)}
            className="link"
          >
            {serviceName(service)}
          </Link>
        </Total>
        <Total name={t('game.first')}>{moment(game.startTimeUtc)}</Total>
        <Total name={t('game.last')}>{moment(game.endTimeUtc)}</Total>
      </Totals>
      {/* Parts of names are found too: "Portal" also lists "Portal 2". */}
      <DownloadsList
        search={search}
        fixed={{ service, search: appName, group: undefined }}
        onChange={onChange}
      />
    </>
  )
}
