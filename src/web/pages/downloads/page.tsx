import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { Page } from '../../app/page.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { readRange, writeRange } from '../../app/range.ts'
import { downloadsSearch, type DownloadsSearch } from '../../app/search-state.ts'
import { t } from '../../locales/translate.ts'
import { DownloadsList } from './list.tsx'

const route = getRouteApi('/downloads')

export function DownloadsPage() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const change = useCallback(
    (part: Partial<DownloadsSearch>) => {
      // Every change but turning the page starts at the first page again.
      const next = downloadsSearch({ ...search, page: undefined, ...part })
      void navigate({ to: '/downloads', search: next, resetScroll: false })
    },
    [navigate, search],
  )
  return (
    <Page
      title={t('nav.downloads')}
      tools={
        <RangePicker value={readRange(search)} onChange={(range) => change(writeRange(range))} />
      }
    >
      <DownloadsList search={search} onChange={change} />
    </Page>
  )
}
