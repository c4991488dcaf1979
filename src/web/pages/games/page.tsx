import { Link } from '@tanstack/react-router'
import { PageFrame } from '../../app/page-frame.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { useDownloadsSearch } from '../../app/use-address.ts'
import { Segments } from '../../components/form-controls.tsx'
import { t } from '../../locales/translate.ts'
import { DownloadsList } from '../../components/downloads/list.tsx'
import type { DownloadRow } from '../../api/queries.ts'
import { Artwork } from '../../components/artwork.tsx'
import { Composition, Figure, Named } from '../../components/figures.tsx'
import { byteAmount, percentText } from '../../format/numbers.ts'
import { serviceNote, titleOf } from '../../format/services.ts'
import { gameAddress } from '../../app/game-address.ts'

const byGame = { group: 'game' } as const

/** The same list, one row per game, largest first. */
export function Page() {
  const { search, change } = useDownloadsSearch()
  const view = (
    <Segments
      label={t('games.look')}
      value={search.view ?? 'list'}
      options={[
        { value: 'list', label: t('games.lookList') },
        { value: 'cards', label: t('games.lookCards') },
      ]}
      onChange={(next) => change({ view: next === 'cards' ? next : undefined })}
    />
  )
  return (
    <PageFrame title={t('nav.games')} tools={<RangePicker />}>
      <DownloadsList
        order="largest"
        fixed={byGame}
        extra={view}
        face={search.view === 'cards' ? showCards : undefined}
      />
    </PageFrame>
  )
}

const showCards = (rows: Parameters<typeof GameCards>[0]['rows']) => <GameCards rows={rows} />

/** A page's games as artwork cards. */
export const GameCards = ({ rows }: { rows: readonly DownloadRow[] }) => (
  <ul className="grid grid-cols-2 gap-3 p-3.5 sm:grid-cols-3 lg:grid-cols-4 xl:grid-cols-5">
    {rows.map((row) => {
      const name = titleOf(row.appName)
      return (
        <li key={row.id}>
          <Link
            to="/games/$service/$id"
            params={gameAddress(row)}
            className="block overflow-hidden rounded-[10px] border border-line hover:bg-raise"
          >
            <Artwork
              name={name}
              service={row.service}
              game={gameAddress(row)}
              className="aspect-video w-full"
            />
            <span className="block p-3">
              <Named
                name={name}
                note={`${serviceNote(row.appName, row.service)}${row.isActive ? ` · ${t('time.now')}` : ''}`}
              />
              <Composition
                cached={row.cacheHitBytes}
                fetched={row.cacheMissBytes}
                className="mt-2.5 mb-2"
              />
              <span className="flex justify-between">
                <Figure amount={byteAmount(row.totalBytes)} />
                <span className="figure text-dim">{percentText(row.cacheHitPercent)}</span>
              </span>
            </span>
          </Link>
        </li>
      )
    })}
  </ul>
)
