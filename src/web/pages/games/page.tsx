import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { Page } from '../../app/page.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { readRange, writeRange } from '../../app/range.ts'
import { downloadsSearch, type DownloadsSearch } from '../../app/search-state.ts'
import { t } from '../../locales/translate.ts'
import { DownloadsList } from '../downloads/list.tsx'

const route = getRouteApi('/games')
const byGame = { group: 'game' } as const

/** The same list, one row per game, largest first. */
export function GamesPage() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const change = useCallback(
    (part: Partial<DownloadsSearch>) => {
      const next = downloadsSearch({ ...search, page: undefined, ...part })
      void navigate({ to: '/games', search: next, resetScroll: false })
    },
    [navigate, search],
  )
  return (
    <Page
      title={t('nav.games')}
      tools={
        <RangePicker value={readRange(search)} onChange={(range) => change(writeRange(range))} />
      }
    >
      <DownloadsList
        search={{ ...search, sort: search.sort ?? 'largest' }}
        fixed={byGame}
        onChange={change}
      />
    </Page>
  )
}
