import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { keys } from '../../../api/keys.ts'
import { useIsAccount } from '../../../api/queries.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Forbidden, Notice, Pending } from '../../../components/notice.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { useSignedIn } from '../../../api/account-queries.ts'
import { PrefillFrame } from '../prefill-page.tsx'
import { AddGames } from './add-games.tsx'
import { AnswerCard } from './answer-card.tsx'
import { GameRow } from './game-row.tsx'
import { OptionsCard } from './options-card.tsx'
import type { ReadySearch } from './search.ts'
import { addGames, gameKey, useBoard, useSuggestions, type Suggestion } from './queries.ts'

const route = getRouteApi('/prefill/ready')
/** Games that the empty board offers at once. */
const offeredMax = 10

const never = () => false

/** Whether the games of a list are in the cache by a moment, and a button that makes it so. */
export function Page() {
  const isAccount = useIsAccount()
  return <PrefillFrame>{isAccount ? <Board /> : <Forbidden />}</PrefillFrame>
}

function Board() {
  const { data, error } = useBoard()
  const isSignedIn = useSignedIn()
  // Shown at once, so that nothing moves.
  const board = isSignedIn === undefined ? undefined : data
  const { add, event } = route.useSearch()
  const navigate = useNavigate()
  const open = (search: ReadySearch) => void navigate({ to: '/prefill/ready', search })
  return (
    <div className="grid gap-3.5">
      <AnswerCard board={board} isSignedIn={isSignedIn ?? never} error={error} />
      <Card
        title={t('ready.games')}
        {...(board !== undefined && { note: tn('count.games', board.games.length) })}
        action={
          <Button className="h-8" onClick={() => open({ add: 'suggestions' })}>
            {t('ready.add')}
          </Button>
        }
      >
        {board === undefined && <Pending error={error} rows={5} />}
        {board?.games.length === 0 && <Empty onChoose={() => open({ add: 'alpha' })} />}
        <ul>
          {board?.games.map((game) => (
            <GameRow
              key={gameKey(game)}
              game={game}
              isSignedIn={isSignedIn?.(game.platform) === true}
            />
          ))}
        </ul>
      </Card>
      {board !== undefined && <OptionsCard board={board} />}
      <SidePanel title={t('ready.add')} isOpen={add !== undefined} onClose={() => open({})}>
        {add !== undefined && (
          <AddGames
            from={add}
            games={board?.games ?? []}
            event={event}
            onFrom={(next) => open({ add: next, event })}
          />
        )}
      </SidePanel>
    </div>
  )
}

/** Nothing chosen yet: what would be chosen most likely. */
function Empty({ onChoose }: { onChoose: () => void }) {
  const { data } = useSuggestions()
  const { save, isBusy } = useSave({ stale: [keys.prefill] })
  const offers: readonly [label: string, games: readonly Suggestion[]][] = [
    [t('ready.addLast', { event: data?.lastEvent?.name ?? '' }), data?.lastEvent?.games ?? []],
    [t('ready.addMostUsed'), data?.mostUsed ?? []],
  ]
  return (
    <Notice title={t('ready.empty')}>
      <p>{t('ready.emptyText')}</p>
      <div className="mt-3 flex flex-wrap justify-center gap-2">
        {offers
          .filter(([, games]) => games.length > 0)
          .map(([label, games]) => (
            <Button
              key={label}
              disabled={isBusy}
              onClick={() => save({ run: () => addGames(games.slice(0, offeredMax)) })}
            >
              {label}
            </Button>
          ))}
        <Button onClick={onChoose}>{t('ready.choose')}</Button>
      </div>
    </Notice>
  )
}
