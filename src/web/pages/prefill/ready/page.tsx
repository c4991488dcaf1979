import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { platforms, type Platform, platformFacts } from '../../../../platforms/platforms.ts'
import { keys } from '../../../api/client.ts'
import { useIsAccount } from '../../../api/queries.ts'
import { useSave } from '../../../app/use-save.ts'
import { AwayLine } from '../../../components/away-line.tsx'
import { Button } from '../../../components/form-controls.tsx'
import { Card, Forbidden, Notice, Pending } from '../../../components/card.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { t, tn, type Key } from '../../../locales/translate.ts'
import { PrefillFrame } from '../prefill-page.tsx'
import { AddGames } from './add-games.tsx'
import { AnswerCard } from './answer-card.tsx'
import { OptionsCard } from './options-card.tsx'
import type { ReadySearch } from './search.ts'
import { addGames } from '../../../api/prefill-schedules.ts'
import {
  gameKey,
  useBoard,
  useSuggestions,
  type Suggestion,
  removeGame,
  type ReadyGame,
} from './queries.ts'
import { X } from 'lucide-react'
import { useNow } from '../../../app/clock.ts'
import { Artwork } from '../../../components/artwork.tsx'
import { Dot, type Tone, Named } from '../../../components/figures.tsx'
import { byteText } from '../../../format/numbers.ts'
import { sinceText } from '../../../format/times.ts'
import { reasonText } from '../../../format/reason-text.ts'
import { gameRef } from '../../../format/game-ref.ts'
import { Action } from '../../../components/setting-controls.tsx'

const route = getRouteApi('/prefill/ready')
/** Games that the empty board offers at once. */
const offeredMax = 10

/** Whether the games of a list are in the cache by a moment, and a button that makes it so. */
export function Page() {
  const isAccount = useIsAccount()
  return <PrefillFrame>{isAccount ? <Board /> : <Forbidden />}</PrefillFrame>
}

function Board() {
  const { board, error, isSignedIn } = useBoard()
  const { add, event } = route.useSearch()
  const navigate = useNavigate()
  const open = (search: ReadySearch) => void navigate({ to: '/prefill/ready', search })
  return (
    <div className="grid gap-3.5">
      <AwayLine away={board?.away} />
      <AnswerCard />
      <Card
        title={t('ready.games')}
        note={board && tn('count.games', board.games.length)}
        action={
          <Button className="h-8" onClick={() => open({ add: 'suggestions' })}>
            {t('ready.add')}
          </Button>
        }
      >
        {board === undefined && <Pending error={error} rows={5} />}
        {board?.games.length === 0 && <Empty onChoose={(from) => open({ add: from })} />}
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
      <SidePanel
        isInAddress
        title={t('ready.add')}
        isOpen={add !== undefined}
        onClose={() => open({})}
      >
        {add !== undefined && (
          <AddGames from={add} event={event} onFrom={(next) => open({ add: next, event })} />
        )}
      </SidePanel>
    </div>
  )
}

/** Nothing chosen yet: what would be chosen most likely. */
function Empty({ onChoose }: { onChoose: (from: Platform) => void }) {
  const { isSignedIn } = useBoard()
  const { data } = useSuggestions()
  const saving = useSave({ stale: [keys.prefill] })
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
            <Action
              key={label}
              label={label}
              run={() => addGames(games.slice(0, offeredMax))}
              saving={saving}
            />
          ))}
        <Button onClick={() => onChoose(platforms.find(isSignedIn) ?? 'alpha')}>
          {t('ready.choose')}
        </Button>
      </div>
    </Notice>
  )
}

const states: Readonly<Record<ReadyGame['state'], readonly [tone: Tone, label: Key]>> = {
  ready: ['good', 'ready.stateReady'],
  fetching: ['good', 'ready.stateFetching'],
  outdated: ['attention', 'ready.stateOutdated'],
  missing: ['attention', 'ready.stateMissing'],
  unknown: ['quiet', 'ready.stateUnknown'],
  unavailable: ['bad', 'ready.stateUnavailable'],
}

const asked = ['quiet', 'prefill.checking'] as const

interface GameRowProps {
  game: ReadyGame
  /** The daemons are being asked. */
  isChecking: boolean
  /** Else the card above says why it is not known. */
  isSignedIn: boolean
}

/** A game of the board: whether it is ready, what is missing, and whether there is a new build. */
function GameRow({ game, isChecking, isSignedIn }: GameRowProps) {
  const now = useNow(30_000)
  const saving = useSave({ stale: [keys.prefill] })
  const { platform, name, state, missingBytes, totalBytes, onDiskBytes, problem } = game
  const newBuild = newBuildText(game, now)
  const isAsked = isChecking && isSignedIn && state === 'unknown'
  const [tone, label] = isAsked ? asked : states[state]
  const bytes = state === 'ready' ? (totalBytes ?? onDiskBytes) : missingBytes
  return (
    <li className="flex min-h-[64px] items-center gap-3 border-b border-line py-2.5 last:border-b-0">
      <Artwork
        name={name}
        service={gameRef(game).service}
        game={gameRef(game)}
        className="h-[38px] w-[68px] flex-none rounded-mark"
      />
      <div className="min-w-0 flex-1">
        <Named name={name} note={platformFacts[platform].title} />
        {newBuild !== null && <p className="text-small wrap-anywhere">{newBuild}</p>}
        {problem !== null && isSignedIn && (
          <p className="text-small wrap-anywhere text-dim">{reasonText(problem)}</p>
        )}
      </div>
      <div className="flex-none text-right">
        <p className="flex items-center justify-end gap-2 text-[13px]">
          <Dot tone={tone} pulsing={isAsked || state === 'fetching'} />
          {t(label)}
        </p>
        <p className="figure text-small text-dim">{bytes !== null && byteText(bytes)}</p>
      </div>
      <Action
        className="border-transparent px-2 text-dim"
        label={t('ready.remove', { name })}
        run={() => removeGame(game)}
        done={t('ready.removed', { name })}
        undo={() => addGames([game])}
        saving={saving}
      >
        <X size={15} />
      </Action>
    </li>
  )
}

/** A new build and who will want it; null: none. */
function newBuildText({ newBuildAtUtc, missingBytes, clients }: ReadyGame, now: Date) {
  if (newBuildAtUtc === null) return null
  const parts = [
    t('ready.newBuild', { time: sinceText(new Date(newBuildAtUtc), now) }),
    missingBytes === null
      ? tn('ready.forClients', clients)
      : t('ready.sizeFor', {
          size: byteText(missingBytes),
          clients: tn('ready.forClients', clients),
        }),
  ]
  return parts.join(' · ')
}
