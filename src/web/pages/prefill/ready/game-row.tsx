import { X } from 'lucide-react'
import { platformFacts } from '../../../../platforms/platforms.ts'
import { keys } from '../../../api/keys.ts'
import { useNow } from '../../../app/use-now.ts'
import { useSave } from '../../../app/use-save.ts'
import { Artwork } from '../../../components/artwork.tsx'
import { Button } from '../../../components/button.tsx'
import { Dot, type Tone } from '../../../components/figures.tsx'
import { Named } from '../../../components/named.tsx'
import { byteText } from '../../../format/numbers.ts'
import { sinceText } from '../../../format/since.ts'
import { t, tn, type Key } from '../../../locales/translate.ts'
import { reasonText } from '../../../format/reason-text.ts'
import { gameRef } from '../../../format/game-ref.ts'
import { addGames } from '../../../api/ready.ts'
import { removeGame, type ReadyGame } from './queries.ts'

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
export function GameRow({ game, isChecking, isSignedIn }: GameRowProps) {
  const now = useNow(30_000)
  const { save, isBusy } = useSave({ stale: [keys.prefill] })
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
      <Button
        className="border-transparent px-2 text-dim"
        aria-label={t('ready.remove', { name })}
        disabled={isBusy}
        onClick={() =>
          save({
            run: () => removeGame(game),
            done: t('ready.removed', { name }),
            undo: () => addGames([game]),
          })
        }
      >
        <X size={15} />
      </Button>
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
