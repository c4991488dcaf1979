import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import {
  hasAccounts,
  platformFacts,
  platforms,
  type Platform,
} from '../../../../platforms/platforms.ts'
import { keys } from '../../../api/client.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button, Choice, SearchField, Tick, optionsOf } from '../../../components/form-controls.tsx'
import { Named } from '../../../components/figures.tsx'
import { Notice, Pending } from '../../../components/card.tsx'
import { byteText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { GameRows } from '../session/game-rows.tsx'
import { addGames, type NewGame } from '../../../api/prefill-schedules.ts'
import {
  gameKey,
  removeGame,
  useBoard,
  useOffered,
  useSuggestions,
  type Suggestion,
} from './queries.ts'
import type { Source } from './search.ts'

interface AddGamesProps {
  from: Source
  /** The event whose games are suggested, instead of the last one. */
  event: number | undefined
  onFrom: (from: Source) => void
}

/** Adds games to the board and takes them off it: suggested ones, or those of a platform. */
export function AddGames({ from, event, onFrom }: AddGamesProps) {
  const { board, isSignedIn } = useBoard()
  const { save, isBusy } = useSave({ stale: [keys.prefill] })
  const chosen = useMemo(() => new Set(board?.games.map(gameKey)), [board])
  const list: ListProps = {
    chosen,
    isBusy,
    onAdd: (more) => save({ run: () => addGames(more) }),
    onToggle: (game) =>
      save({ run: () => (chosen.has(gameKey(game)) ? removeGame(game) : addGames([game])) }),
  }
  return (
    <>
      <div className="mb-4 flex">
        <Choice
          label={t('ready.from')}
          value={from}
          options={[
            { value: 'suggestions', label: t('ready.suggestions') },
            ...optionsOf(platforms, (platform) =>
              t('ready.libraryOf', { platform: platformFacts[platform].title }),
            ),
          ]}
          onChange={onFrom}
        />
      </div>
      {from === 'suggestions' && <Suggestions event={event} {...list} />}
      {from !== 'suggestions' &&
        (isSignedIn(from) ? (
          <Library key={from} platform={from} {...list} />
        ) : (
          <NoLibrary platform={from} />
        ))}
    </>
  )
}

interface ListProps {
  /** Keys of the games of the board. */
  chosen: ReadonlySet<string>
  isBusy: boolean
  onAdd: (games: readonly NewGame[]) => void
  onToggle: (game: NewGame) => void
}

function Suggestions({ event, ...props }: ListProps & { event: number | undefined }) {
  const { data, error } = useSuggestions(event)
  if (data === undefined) return <Pending error={error} rows={6} />
  const { lastEvent, mostUsed } = data
  if (mostUsed.length === 0 && (lastEvent?.games.length ?? 0) === 0) {
    return <Notice title={t('ready.noSuggestions')}>{t('ready.noSuggestionsText')}</Notice>
  }
  return (
    <div className="space-y-6">
      {lastEvent !== null && (
        <Suggested
          {...props}
          title={t('ready.lastEvent', { event: lastEvent.name })}
          games={lastEvent.games}
        />
      )}
      <Suggested {...props} title={t('ready.mostUsed')} games={mostUsed} />
    </div>
  )
}

interface SuggestedProps extends ListProps {
  title: string
  games: readonly Suggestion[]
}

function Suggested({ title, games, chosen, isBusy, onAdd, onToggle }: SuggestedProps) {
  const further = games.filter((game) => !chosen.has(gameKey(game)))
  if (games.length === 0) return null
  return (
    <section aria-label={title}>
      <header className="mb-2 flex min-h-8 items-center gap-3">
        <h3 className="min-w-0 flex-1 font-medium">{title}</h3>
        {further.length > 0 && (
          <Button className="h-8" disabled={isBusy} onClick={() => onAdd(further)}>
            {tn('ready.addAll', further.length)}
          </Button>
        )}
      </header>
      <ul>
        {games.map((game) => (
          <li
            key={gameKey(game)}
            className="flex min-h-[52px] items-center gap-3 border-b border-line last:border-b-0"
          >
            <Tick
              label={game.name}
              state={chosen.has(gameKey(game))}
              disabled={isBusy}
              onToggle={() => onToggle(game)}
            />
            <div className="min-w-0 flex-1">
              <Named
                name={game.name}
                note={`${platformFacts[game.platform].title} · ${tn('count.clients', game.clients)} · ${byteText(game.bytes)}`}
              />
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

const none: ReadonlySet<string> = new Set()

/** Games that a platform's accounts own, or that it offers to everyone. */
function Library({ platform, chosen, onToggle }: ListProps & { platform: Platform }) {
  const { data: games, error } = useOffered(platform)
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const shown = useMemo(
    () => games?.filter(({ id, name }) => name.toLowerCase().includes(wanted) || id === wanted),
    [games, wanted],
  )
  if (games === undefined || shown === undefined) return <Pending error={error} rows={8} />
  const selected = new Set(
    games.filter(({ id }) => chosen.has(gameKey({ platform, appId: id }))).map(({ id }) => id),
  )
  const toggle = (id: string) => {
    const game = games.find((one) => one.id === id)
    if (game !== undefined) onToggle({ platform, appId: id, name: game.name })
  }
  return (
    <>
      <div className="mb-3 flex">
        <SearchField label={t('prefill.search')} value={text} onChange={setText} />
      </div>
      {shown.length === 0 ? (
        <Notice title={t(games.length === 0 ? 'prefill.noGames' : 'prefill.noMatch')} />
      ) : (
        <GameRows games={shown} selected={selected} upToDate={none} onToggle={toggle} />
      )}
    </>
  )
}

/** Why a platform lists no games, and where that is mended. */
const NoLibrary = ({ platform }: { platform: Platform }) => (
  <Notice tone="attention" title={t('ready.noLibrary')}>
    <p>{t(hasAccounts(platform) ? 'ready.noLibraryAccount' : 'ready.noLibrarySession')}</p>
    <Link to="/settings/platform-accounts" className="control mt-3">
      {t(hasAccounts(platform) ? 'ready.signIn' : 'ready.startSession', {
        platform: platformFacts[platform].title,
      })}
    </Link>
  </Notice>
)
