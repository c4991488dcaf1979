import { useNow } from '../../../app/use-now.ts'
import { StateLine } from '../../../components/setting.tsx'
import { byteText } from '../../../format/numbers.ts'
import { sinceText } from '../../../format/since.ts'
import { t, tn, type Key } from '../../../locales/translate.ts'
import type { Preview } from './queries.ts'
import { skipReasonText, shownGame } from './sentence.ts'

type Game = Preview['games'][number]

const states: Record<Exclude<Game['state'], 'leaves'>, Key> = {
  pending: 'retention.statePending',
  pinned: 'retention.statePinned',
  spared: 'retention.stateSpared',
}
const shownMax = 100

/** What a rule would remove now, and what it would spare although it matches. */
export function DryRun({ result }: { result: Preview }) {
  const now = useNow(60_000)
  const { abstains, games, gameCount, bytes, isCut } = result
  return (
    <section aria-label={t('retention.dryRunResult')} className="border-t border-line pt-4">
      <div className="mb-2 text-[13px]">
        {abstains !== null ? (
          <StateLine tone="attention">
            {t('retention.abstains', { reason: skipReasonText(result) })}
          </StateLine>
        ) : (
          <StateLine tone={gameCount > 0 ? 'quiet' : 'good'}>
            {gameCount === 0
              ? t(games.length > 0 ? 'retention.wouldRemoveNoMore' : 'retention.wouldRemoveNone')
              : tn('retention.wouldRemove', gameCount, { bytes: byteText(bytes) })}
          </StateLine>
        )}
      </div>
      <ul>
        {games.slice(0, shownMax).map((game) => (
          <li
            key={game.gameKey}
            className="flex gap-3 border-line py-1.5 text-[13px] not-last:border-b"
          >
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{shownGame(game.name)}</span>
              <span className="block text-dim">
                {game.state === 'leaves'
                  ? t('retention.usedAgo', { time: sinceText(new Date(game.lastUsedAtUtc), now) })
                  : t(states[game.state])}
              </span>
            </span>
            <span className="figure">{byteText(game.bytes)}</span>
          </li>
        ))}
      </ul>
      {(isCut || games.length > shownMax) && (
        <p className="mt-2 text-small text-dim">{t('retention.more')}</p>
      )}
    </section>
  )
}
