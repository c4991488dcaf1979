import { useMemo, useState } from 'react'
import { Card } from '../../../components/card.tsx'
import { Notice, Pending } from '../../../components/notice.tsx'
import { SearchField } from '../../../components/search-field.tsx'
import { Segments } from '../../../components/segments.tsx'
import { Button } from '../../../components/button.tsx'
import { t, tn } from '../../../locales/translate.ts'
import type { PrefillSession } from '../live/use-session.ts'
import type { Platform } from '../../../../platforms/platforms.ts'
import { useLibrary, type Game } from '../queries.ts'
import type { DaemonSession } from '../wire.ts'
import { GameRows } from './game-rows.tsx'
import { ImportForm } from './import-form.tsx'
import { StartForm, type StartFormProps } from './start-form.tsx'
import { useCacheStatus } from './use-cache-status.ts'
import { useSelection } from './use-selection.ts'

interface LibraryCardProps extends Pick<StartFormProps, 'choice' | 'onChoice'> {
  platform: Platform
  prefill: PrefillSession
  session: DaemonSession
}

type Show = 'all' | 'selected' | 'missing'
const noGames: readonly Game[] = []

const matches = (text: string) => {
  const wanted = text.trim().toLowerCase()
  return ({ id, name }: Game) =>
    wanted === '' || name.toLowerCase().includes(wanted) || id === wanted
}

/** The library: search, choose, import ids, and start. */
export function LibraryCard({ platform, prefill, session, ...start }: LibraryCardProps) {
  const { data: games = noGames, error, isPending } = useLibrary(platform, session.id, true)
  const { selected: chosen, toggle, add, clear } = useSelection(platform)
  const [search, setSearch] = useState('')
  const [show, setShow] = useState<Show>('all')
  const [isImporting, setIsImporting] = useState(false)
  const cached = useCacheStatus(platform, session.id)
  // Games that left the library are no longer counted.
  const selected = useMemo(
    () => new Set(games.filter(({ id }) => chosen.has(id)).map(({ id }) => id)),
    [games, chosen],
  )
  const shown = useMemo(() => {
    const isFound = matches(search)
    return games.filter((game) => {
      if (show === 'selected' && !selected.has(game.id)) return false
      if (show === 'missing' && cached.upToDate.has(game.id)) return false
      return isFound(game)
    })
  }, [games, search, show, selected, cached.upToDate])
  if (isPending || error !== null) {
    return (
      <Card title={t('prefill.library')}>
        <Pending error={error} rows={6} />
      </Card>
    )
  }
  return (
    <>
      <StartForm
        platform={platform}
        prefill={prefill}
        session={session}
        selected={selected}
        {...start}
      />
      <Card title={t('prefill.library')} note={tn('prefill.selected', selected.size)}>
        <div className="mb-3 flex flex-wrap items-center gap-2">
          <SearchField
            label={t('prefill.search')}
            value={search}
            onChange={setSearch}
            className="basis-[220px]"
          />
          <Segments
            label={t('prefill.show')}
            value={show}
            options={[
              { value: 'all', label: t('prefill.showAll') },
              { value: 'selected', label: t('prefill.showSelected') },
              { value: 'missing', label: t('prefill.showMissing') },
            ]}
            onChange={setShow}
          />
        </div>
        <div className="mb-3 flex flex-wrap gap-2">
          <Button onClick={() => add(shown.map(({ id }) => id))}>
            {tn('prefill.selectShown', shown.length)}
          </Button>
          <Button disabled={selected.size === 0} onClick={clear}>
            {t('prefill.selectNone')}
          </Button>
          <Button aria-expanded={isImporting} onClick={() => setIsImporting(!isImporting)}>
            {t('prefill.import')}
          </Button>
          <Button disabled={cached.isBusy} onClick={() => cached.check(games.map(({ id }) => id))}>
            {t(cached.isBusy ? 'prefill.checking' : 'prefill.check')}
          </Button>
        </div>
        {isImporting && <ImportForm games={games} selected={selected} onAdd={add} />}
        {shown.length === 0 ? (
          <Notice title={t(games.length === 0 ? 'prefill.noGames' : 'prefill.noMatch')} />
        ) : (
          <GameRows
            games={shown}
            selected={selected}
            upToDate={cached.upToDate}
            onToggle={toggle}
          />
        )}
      </Card>
    </>
  )
}
