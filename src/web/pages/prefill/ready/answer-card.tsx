import { Link } from '@tanstack/react-router'
import { platformFacts, platforms } from '../../../../platforms/platforms.ts'
import { keys } from '../../../api/client.ts'
import { useOperations } from '../../../api/queries.ts'
import { outcomeText } from '../../../app/stage-text.ts'
import { useNow } from '../../../app/clock.ts'
import { useSave } from '../../../app/use-save.ts'
import { Dot } from '../../../components/figures.tsx'
import { Trouble, StateLine } from '../../../components/card.tsx'
import { ProgressBar } from '../../../components/progress-bar.tsx'
import { sinceText } from '../../../format/times.ts'
import { t, tn } from '../../../locales/translate.ts'
import { makeReady } from '../../../api/prefill-schedules.ts'
import { checkGames, stopMaking, useBoard, type ReadyBoard } from './queries.ts'
import { verdictOf } from './verdict.ts'
import { Action } from '../../../components/setting-controls.tsx'

/** Whether everything will be there in time, and the button that makes it so. */
export function AnswerCard() {
  const { board, error } = useBoard()
  const now = useNow(30_000)
  const saving = useSave({ stale: [keys.prefill, keys.operations] })
  const isFailed = board === undefined && error !== null
  const games = board?.games ?? []
  const isWanted = board?.isWanted === true
  const isDone = board?.verdict === 'ready'
  return (
    <section aria-label={t('ready.answer')} className="card p-5">
      {isFailed && <Trouble error={error} />}
      {/* Room for two lines of the answer, so that nothing moves. */}
      <div className="flex min-h-[74px] flex-wrap items-center gap-x-6 gap-y-3">
        <div className="min-w-[min(320px,100%)] flex-1">
          {board === undefined ? (
            <>
              <div className="skeleton h-7 w-3/5" />
              <div className="skeleton mt-2 h-4 w-2/5" />
            </>
          ) : (
            <Answer board={board} now={now} />
          )}
        </div>
        <div className="flex flex-wrap gap-2">
          <Action
            className="h-[38px]"
            label={t(board?.isChecking === true ? 'prefill.checking' : 'ready.check')}
            run={checkGames}
            saving={saving}
            disabled={games.length === 0 || board?.isChecking === true}
          />
          <Action
            className={isWanted ? 'h-[38px]' : 'primary px-5'}
            label={t(isWanted ? 'prefill.cancelRun' : 'ready.make')}
            run={isWanted ? stopMaking : makeReady}
            saving={saving}
            disabled={!isWanted && (games.length === 0 || isDone)}
          />
        </div>
      </div>
      {board !== undefined && <SignedOut board={board} />}
      {isWanted && <Progress board={board} />}
    </section>
  )
}

function Answer({ board, now }: { board: ReadyBoard; now: Date }) {
  const { games, checkedAtUtc } = board
  const { tone, text } = verdictOf(board, now)
  const ready = games.filter(({ state }) => state === 'ready').length
  if (games.length === 0) return <p className="text-title font-semibold">{t('ready.question')}</p>
  return (
    <>
      <p role="status" className="flex gap-2.5 text-title leading-7 font-semibold">
        <span className="mt-[10px] flex">
          <Dot tone={tone} />
        </span>
        {text}
      </p>
      <p className="mt-1 pl-[18px] text-small text-dim">
        {t('ready.readyOf', { ready, total: tn('count.games', games.length) })}
        {checkedAtUtc !== null &&
          ` · ${t('ready.checked', { time: sinceText(new Date(checkedAtUtc), now) })}`}
      </p>
    </>
  )
}

/** Platforms whose games can be neither checked nor fetched now. */
function SignedOut({ board: { games } }: { board: ReadyBoard }) {
  const { isSignedIn } = useBoard()
  const missing = platforms.filter(
    (one) => !isSignedIn(one) && games.some(({ platform }) => platform === one),
  )
  if (missing.length === 0) return null
  return (
    <p className="mt-3 flex flex-wrap items-center gap-x-2.5 text-[13px]">
      <StateLine tone="attention">
        {t('ready.signedOut', {
          platforms: missing.map((platform) => platformFacts[platform].title).join(', '),
        })}
      </StateLine>
      <Link to="/settings/platform-accounts" className="link">
        {t('settings.platform-accounts')}
      </Link>
    </p>
  )
}

/** The run of the moment, or what it waits for. */
function Progress({ board: { operationId, hours } }: { board: ReadyBoard }) {
  const { data } = useOperations()
  const job = [...(data?.running ?? []), ...(data?.waiting ?? [])].find(
    ({ id }) => id === operationId,
  )
  const waits =
    hours === null
      ? t('ready.waits')
      : t('ready.waitsHours', { hours: `${hours.start} – ${hours.end}` })
  const stage = job === undefined ? waits : (outcomeText(job) ?? '')
  return (
    <div className="min-h-[44px]">
      <ProgressBar label={t('ready.make')} percent={job?.percentComplete ?? 0} />
      <p className="mt-2 text-small break-words text-dim">{stage}</p>
    </div>
  )
}
