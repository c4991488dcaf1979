import { getRouteApi } from '@tanstack/react-router'
import { PageFrame } from '../../app/page-frame.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { readRange, writeRange } from '../../app/range.ts'
import { gamesSearch } from '../../app/search-state.ts'
import { useSearchChange } from '../../app/use-search-change.ts'
import { Segments } from '../../components/form-controls.tsx'
import { t } from '../../locales/translate.ts'
import { DownloadsList } from '../../components/downloads/list.tsx'
import { GameCards } from './cards.tsx'

const route = getRouteApi('/games')
const byGame = { group: 'game' } as const

/** The same list, one row per game, largest first. */
export function Page() {
  const search = route.useSearch()
  const change = useSearchChange(gamesSearch, search)
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
    <PageFrame
      title={t('nav.games')}
      tools={
        <RangePicker value={readRange(search)} onChange={(range) => change(writeRange(range))} />
      }
    >
      <DownloadsList
        search={{ ...search, sort: search.sort ?? 'largest' }}
        fixed={byGame}
        extra={view}
        {...(search.view === 'cards' ? { face: showCards } : {})}
        onChange={change}
      />
    </PageFrame>
  )
}

const showCards = (rows: Parameters<typeof GameCards>[0]['rows']) => <GameCards rows={rows} />
