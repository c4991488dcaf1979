import { Card } from '../../../components/card.tsx'
import { clockText, fullMomentText } from '../../../format/times.ts'
import { t, type Key } from '../../../locales/translate.ts'
import type { Line, LineKind } from '../live/session-state.ts'
import { reasonText } from '../../../format/reason-text.ts'
import { questions } from '../../../components/platforms/questions.ts'

/** Lines that are shown; the newest first. */
const shownMax = 100

const texts: Readonly<Record<LineKind, Key>> = {
  session: 'prefill.logSession',
  loginNeeded: 'prefill.logLogin',
  loggedIn: 'prefill.logIn',
  loginFailed: 'prefill.logInFailed',
  started: 'prefill.logStarted',
  game: 'prefill.logGame',
  gameDone: 'prefill.logGameDone',
  gameCached: 'prefill.logGameCached',
  gameFailed: 'prefill.logGameFailed',
  completed: 'prefill.logCompleted',
  failed: 'prefill.logFailed',
  cancelled: 'prefill.logCancelled',
  ended: 'prefill.logEnded',
}

function textOf(kind: LineKind, subject: string): string {
  const label = kind === 'loginNeeded' ? questions[subject]?.label : undefined
  return t(texts[kind], { subject: label === undefined ? reasonText(subject) : t(label) })
}

/** What has happened since the page was opened. */
export function LogCard({ lines }: { lines: readonly Line[] }) {
  const shown = lines.slice(-shownMax).toReversed()
  return (
    <Card title={t('prefill.log')}>
      {shown.length === 0 && <p className="text-small text-dim">{t('prefill.logEmpty')}</p>}
      <ol aria-live="polite" className="max-h-[340px] space-y-1.5 overflow-y-auto" tabIndex={0}>
        {shown.map(({ at, kind, subject }, index) => (
          <li key={lines.length - index} className="flex gap-2.5 text-[13px]">
            <time
              dateTime={new Date(at).toISOString()}
              title={fullMomentText(new Date(at))}
              className="figure flex-none text-dim"
            >
              {clockText(new Date(at))}
            </time>
            <span className="min-w-0 break-words">{textOf(kind, subject)}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
