import { Card, StateLine } from '../../../components/card.tsx'
import { Composition, Dot, type Tone } from '../../../components/figures.tsx'
import { ProgressBar } from '../../../components/progress-bar.tsx'
import { byteText, countText, rateText } from '../../../format/numbers.ts'
import { clockText, durationText } from '../../../format/times.ts'
import { t, type Key } from '../../../locales/translate.ts'
import type { SessionView, GameLine, GameState } from '../live/session-state.ts'
import type { PrefillSession } from '../live/use-session.ts'
import { reasonText } from '../../../format/reason-text.ts'
import type { Progress } from '../wire.ts'
import { secondsLeft, shownState, stageOf } from './progress.ts'
import { Action } from '../../../components/setting-controls.tsx'

/** The run: what is downloaded now, how fast, how long it will take, and each game's state. */
export function ProgressCard({ prefill }: { prefill: PrefillSession }) {
  const { view } = prefill
  const isRunning = view.session?.isPrefilling === true
  if (!isRunning && view.outcome === null) return null
  return (
    <Card
      title={t('prefill.run')}
      stale={[]}
      action={
        isRunning ? (
          <Action className="h-8" label={t('prefill.cancelRun')} run={prefill.cancelRun} />
        ) : undefined
      }
    >
      {isRunning ? <Running progress={view.progress} /> : <Outcome view={view} />}
      {view.progress !== null && <Sources progress={view.progress} />}
      <GameList games={view.games} />
    </Card>
  )
}

function Running({ progress }: { progress: Progress | null }) {
  if (progress === null) return <StateLine tone="good">{t('prefill.preparing')}</StateLine>
  const { waitingSince } = progress
  const { currentAppName, bytesDownloaded, totalBytes, bytesPerSecond } = progress
  const stage = stageOf(progress)
  const left = secondsLeft(progress)
  const percent = Math.max(0, Math.min(100, progress.percentComplete))
  const figures = [
    totalBytes > 0 &&
      t('prefill.ofBytes', { done: byteText(bytesDownloaded), total: byteText(totalBytes) }),
    bytesPerSecond > 0 && rateText(bytesPerSecond),
    left !== null && t('prefill.timeLeft', { time: durationText(left) }),
  ].filter((text) => text !== false)
  return (
    <div>
      <p className="font-medium break-words">{currentAppName ?? t('prefill.preparing')}</p>
      <p className="figure text-small text-dim" role="status">
        {stage !== null && t('prefill.gameOf', stage)}
        {stage !== null && figures.length > 0 && ' · '}
        {figures.join(' · ')}
      </p>
      {waitingSince !== null && (
        <StateLine tone="attention">
          {t('prefill.cacheSilent', { time: clockText(new Date(waitingSince * 1000)) })}
        </StateLine>
      )}
      <ProgressBar label={currentAppName ?? t('prefill.run')} percent={percent} />
    </div>
  )
}

/** What was in the cache already; only Larder's own daemons know. */
function Sources({ progress: { hitBytes, missBytes } }: { progress: Progress }) {
  if (hitBytes + missBytes === 0) return null
  return (
    <div className="mt-3">
      <Composition cached={hitBytes} fetched={missBytes} />
      <p className="figure mt-1 text-small text-dim">
        {t('prefill.sources', { cached: byteText(hitBytes), fetched: byteText(missBytes) })}
      </p>
    </div>
  )
}

const outcomes = {
  started: ['good', 'prefill.running'],
  completed: ['good', 'prefill.completed'],
  partly: ['attention', 'prefill.completedPartly'],
  failed: ['bad', 'prefill.failed'],
  cancelled: ['attention', 'prefill.cancelled'],
} as const

function Outcome({ view }: { view: SessionView }) {
  const { outcome, progress, session } = view
  if (outcome === null) return null
  const failed = progress?.failedApps ?? 0
  const [tone, label] = outcomes[shownState(outcome.state, failed)]
  const bytes = progress?.totalBytesTransferred || session?.totalBytesTransferred || 0
  const parts = [
    t(label),
    outcome.text === null ? '' : reasonText(outcome.text),
    bytes > 0 ? t('prefill.transferred', { bytes: byteText(bytes) }) : '',
    outcome.seconds === null ? '' : durationText(outcome.seconds),
    failed === 0 ? '' : t('prefill.failedApps', { count: countText(failed) }),
  ]
  return (
    <div role="status">
      <StateLine tone={tone}>{parts.filter((part) => part !== '').join(' · ')}</StateLine>
      {failed > 0 && <p className="mt-1 text-small text-dim">{t('prefill.failedAdvice')}</p>}
      {outcome.state === 'completed' && failed === 0 && bytes === 0 && (
        <p className="mt-1 text-small text-dim">{t('prefill.nothingNew')}</p>
      )}
    </div>
  )
}

const states: Readonly<Record<GameState, readonly [tone: Tone, label: Key]>> = {
  running: ['good', 'prefill.gameRunning'],
  done: ['good', 'prefill.gameDone'],
  cached: ['quiet', 'prefill.gameCached'],
  failed: ['bad', 'prefill.gameFailed'],
}

/** The games of a run with what became of each; the last ones first. */
function GameList({ games }: { games: readonly GameLine[] }) {
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
