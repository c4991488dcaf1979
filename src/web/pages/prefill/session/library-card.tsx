import { useMemo, useState, useId } from 'react'
import { Card, Notice, Pending } from '../../../components/card.tsx'
import { choices, SearchField, Segments, Button, Form } from '../../../components/form-controls.tsx'
import { t, tn } from '../../../locales/translate.ts'
import type { PrefillSession } from '../live/use-session.ts'
import type { Platform } from '../../../../platforms/platforms.ts'
import { useLibrary, type Game, readCacheStatus } from '../queries.ts'
import type { DaemonSession } from '../wire.ts'
import { GameRows } from './game-rows.tsx'
import { StartForm, type StartFormProps } from './start-form.tsx'
import { useMutation } from '@tanstack/react-query'
import { notifyError } from '../../../components/toast.tsx'
import { refusalText } from '../../../api/refusal-text.ts'
import { useStoredSet } from '../../../app/stored-set.ts'
import { importMax, pastedIds, sortIds, type Imported } from '../import-ids.ts'
import { countText } from '../../../format/numbers.ts'

interface LibraryCardProps extends Pick<StartFormProps, 'choice' | 'onChoice'> {
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
export function LibraryCard({ prefill, session, ...start }: LibraryCardProps) {
  const { platform } = prefill
  const { data: games = noGames, error, isPending } = useLibrary(platform, session.id)
  const { chosen, set, toggle } = useStoredSet(`larder.prefill.${platform}`, importMax)
  const add = (ids: readonly string[]) => set([...chosen, ...ids])
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
      <StartForm prefill={prefill} session={session} selected={selected} {...start} />
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
            options={choices({
              all: 'prefill.showAll',
              selected: 'prefill.showSelected',
              missing: 'prefill.showMissing',
            })}
            onChange={setShow}
          />
        </div>
        <div className="mb-3 flex flex-wrap gap-2">
          <Button onClick={() => add(shown.map(({ id }) => id))}>
            {tn('prefill.selectShown', shown.length)}
          </Button>
          <Button disabled={selected.size === 0} onClick={() => set([])}>
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

const none: ReadonlySet<string> = new Set()

/** Games whose current version was prefilled; asked for on demand, because it can take minutes. */
function useCacheStatus(platform: Platform, sessionId: string) {
  const mutation = useMutation({
    mutationFn: (ids: readonly string[]) => readCacheStatus(platform, sessionId, ids),
    onError: (error) => notifyError(refusalText(error)),
  })
  return {
    check: mutation.mutate,
    isBusy: mutation.isPending,
    upToDate: mutation.data === undefined ? none : new Set(mutation.data.upToDateAppIds),
  }
}

interface ImportFormProps {
  games: readonly Game[]
  selected: ReadonlySet<string>
  onAdd: (ids: readonly string[]) => void
}

/** Unknown ids that are named. */
const namedMax = 20

/** Adds pasted ids to the selection, and says what became of them. */
function ImportForm({ games, selected, onAdd }: ImportFormProps) {
  const id = useId()
  const [text, setText] = useState('')
  const [result, setResult] = useState<Imported | null>(null)
  const submit = () => {
    const owned = new Set(games.map((game) => game.id))
    const sorted = sortIds(pastedIds(text), { owned, selected })
    onAdd(sorted.added)
    setResult(sorted)
    setText('')
  }
  return (
    <Form onSubmit={submit} className="mb-4 rounded-control bg-raise p-3">
      <label htmlFor={id} className="mb-1.5 block text-small font-medium">
        {t('prefill.importLabel')}
      </label>
      <textarea
        id={id}
        className="input h-24 py-2 font-mono text-[13px]"
        placeholder="440, 570, 730"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="mt-2 flex flex-wrap items-center gap-3">
        <Button type="submit" disabled={text.trim() === ''}>
          {t('prefill.importAdd')}
        </Button>
        {result !== null && (
          <p role="status" className="min-w-0 flex-1 text-small text-dim">
            {t('prefill.imported', {
              added: countText(result.added.length),
              already: countText(result.already.length),
              unknown: countText(result.unknown.length),
            })}
            {result.unknown.length > 0 && `: ${result.unknown.slice(0, namedMax).join(', ')}`}
          </p>
        )}
      </div>
    </Form>
  )
}
