import { Dot, type Tone } from '../../../components/figures.tsx'
import { byteText } from '../../../format/numbers.ts'
import { t, type Key } from '../../../locales/translate.ts'
import { reasonText } from '../../../format/reason-text.ts'
import type { GameLine, GameState } from '../live/session-state.ts'

const states: Readonly<Record<GameState, readonly [tone: Tone, label: Key]>> = {
  running: ['good', 'prefill.gameRunning'],
  done: ['good', 'prefill.gameDone'],
  cached: ['quiet', 'prefill.gameCached'],
  failed: ['bad', 'prefill.gameFailed'],
}

/** The games of a run with what became of each; the last ones first. */
export function GameList({ games }: { games: readonly GameLine[] }) {
  if (games.length === 0) return null
  return (
    <ul
      aria-label={t('prefill.games')}
      tabIndex={0}
      className="mt-4 max-h-[300px] divide-y divide-line overflow-y-auto border-t border-line"
    >
      {games.toReversed().map(({ id, name, state, bytes, reason }) => {
        const [tone, label] = states[state]
        return (
          <li key={id} className="flex items-center gap-2.5 py-2 text-[13px]">
            <Dot tone={tone} pulsing={state === 'running'} />
            <span className="min-w-0 flex-1">
              <span className="block truncate">{name}</span>
              {reason !== null && (
                <span className="block text-dim wrap-anywhere">{reasonText(reason)}</span>
              )}
            </span>
            {state === 'done' && bytes > 0 && (
              <span className="figure flex-none text-dim max-sm:hidden">{byteText(bytes)}</span>
            )}
            <span className="flex-none text-dim">{t(label)}</span>
          </li>
        )
      })}
    </ul>
  )
}
