import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { platforms, type Platform } from '../../../../platforms/platforms.ts'
import { keys } from '../../../api/keys.ts'
import { useIsAccount } from '../../../api/queries.ts'
import { useSave } from '../../../app/use-save.ts'
import { AwayLine } from '../../../components/away-line.tsx'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Forbidden, Notice, Pending } from '../../../components/notice.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { useSignedIn, type IsSignedIn } from '../../../api/account-queries.ts'
import { PrefillFrame } from '../prefill-page.tsx'
import { AddGames } from './add-games.tsx'
import { AnswerCard } from './answer-card.tsx'
import { GameRow } from './game-row.tsx'
import { OptionsCard } from './options-card.tsx'
import type { ReadySearch } from './search.ts'
import { addGames } from '../../../api/ready.ts'
import { gameKey, useBoard, useSuggestions, type Suggestion } from './queries.ts'

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
  const known = useSignedIn()
  const isSignedIn = known ?? never
  // Shown at once, so that nothing moves.
  const board = known === undefined ? undefined : data
  const { add, event } = route.useSearch()
  const navigate = useNavigate()
  const open = (search: ReadySearch) => void navigate({ to: '/prefill/ready', search })
  return (
    <div className="grid gap-3.5">
      <AwayLine {...(board?.away !== undefined && { away: board.away })} />
      <AnswerCard board={board} isSignedIn={isSignedIn} error={error} />
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
        {board?.games.length === 0 && (
          <Empty isSignedIn={isSignedIn} onChoose={(add) => open({ add })} />
        )}
        <ul>
          {board?.games.map((game) => (
            <GameRow
              key={gameKey(game)}
              game={game}
              isChecking={board.isChecking}
              isSignedIn={isSignedIn(game.platform)}
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
            isSignedIn={isSignedIn}
            onFrom={(next) => open({ add: next, event })}
          />
        )}
      </SidePanel>
    </div>
  )
}

interface EmptyProps {
  isSignedIn: IsSignedIn
  onChoose: (from: Platform) => void
}

/** Nothing chosen yet: what would be chosen most likely. */
function Empty({ isSignedIn, onChoose }: EmptyProps) {
  const { data } = useSuggestions()
  const { save, isBusy } = useSave({ stale: [keys.prefill] })
  const isAnyIn = platforms.some(isSignedIn)
  // Of the others it could say nothing.
  const isOfSignedIn = ({ platform }: Suggestion) => !isAnyIn || isSignedIn(platform)
  const offers: readonly [label: string, games: readonly Suggestion[]][] = [
    [t('ready.addLast', { event: data?.lastEvent?.name ?? '' }), data?.lastEvent?.games ?? []],
    [t('ready.addMostUsed'), data?.mostUsed ?? []],
  ]
  return (
    <Notice title={t('ready.empty')}>
      <p>{t('ready.emptyText')}</p>
      <div className="mt-3 flex flex-wrap justify-center gap-2">
        {offers
          .map(([label, games]) => [label, games.filter(isOfSignedIn)] as const)
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
        <Button onClick={() => onChoose(platforms.find(isSignedIn) ?? 'alpha')}>
          {t('ready.choose')}
        </Button>
      </div>
    </Notice>
  )
}
