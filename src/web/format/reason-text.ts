import type { LastResult } from '../../prefill/scheduled/named-model.ts'
import type { OutcomeKey, outcomeTexts } from '../../prefill/scheduled/outcomes.ts'
import type { ReasonText } from '../../prefill/reasons.ts'
import { byteText } from './numbers.ts'
import { t, tn, type Key } from '../locales/translate.ts'

/** By the texts of the service, which are stored with sessions and games. */
const reasonKeys: Readonly<Record<ReasonText | (typeof outcomeTexts)[OutcomeKey], Key>> = {
  '{percent} % of the line’s monthly volume are used': 'prefill.outcome.dataCap',
  'A manual prefill session is active': 'prefill.outcome.manualSession',
  'A prefill is already in progress': 'prefill.outcome.busy',
  'App restarted - session orphaned': 'prefill.reasonOrphaned',
  'Banned by admin': 'prefill.reasonBanned',
  'Edit session cleaned up': 'prefill.reasonEditOver',
  'Ended by user': 'prefill.reasonEnded',
  'Exceeded maximum service runtime': 'prefill.outcome.overtime',
  'Larder was restarted during this prefill': 'prefill.reasonInterrupted',
  'Larder was restarted during this run': 'prefill.outcome.interrupted',
  'Larder was stopped': 'prefill.reasonServiceStopped',
  'Logins cleared': 'prefill.reasonLoginsCleared',
  'No daemon registered for this service': 'prefill.outcome.noDaemon',
  'No game could be prefilled': 'prefill.reasonAllFailed',
  'No running persistent session for {platform}': 'prefill.outcome.noSession',
  'Prefill completed ({size} downloaded)': 'prefill.outcome.completed',
  'Prefill completed ({size} downloaded); failed games: {failed}; accounts not ready: {accounts}':
    'prefill.outcome.completedSome',
  'Prefill completed ({size} downloaded); games that failed: {failed}':
    'prefill.outcome.completedPartly',
  'Prefill completed; everything was up to date': 'prefill.outcome.upToDate',
  'Prefill completed; everything was up to date. Use force to download the selected games again':
    'prefill.outcome.upToDateForce',
  'Prefill failed': 'prefill.reasonFailed',
  'Prefill failed to start': 'prefill.reasonNotStarted',
  'Prefill permission ended': 'prefill.reasonPermission',
  'Prefill stalled (no progress)': 'prefill.outcome.stalled',
  'Prefill stopped': 'prefill.outcome.stopped',
  Replaced: 'prefill.reasonReplaced',
  'Session expired': 'prefill.reasonExpired',
  'Signed out of Larder': 'prefill.reasonSignedOut',
  'Socket connection lost unexpectedly': 'prefill.reasonLost',
  Stopped: 'prefill.reasonStopped',
  'Superseded by new prefill operation': 'prefill.reasonSuperseded',
  'Terminated by admin': 'prefill.reasonTerminated',
  'The daemon’s socket is closed to Larder’s user: set PREFILL_SOCKET_MODE of the daemon to 666':
    'prefill.problem.denied',
  'The persistent session for {platform} is not ready yet': 'prefill.outcome.notReady',
  'The persistent session for {platform} runs but is not signed in': 'prefill.outcome.notSignedIn',
}

/** Progress of jobs that prefill. */
const stepKeys = {
  'Begins when the allowed hours open': 'prefill.step.hours',
  'Downloading {game} ({done} of {count} games)': 'prefill.step.game',
  'Prefill in progress ({done} of {count} games)': 'prefill.step.games',
} as const satisfies Record<string, Key>

/** The text may follow the name of a platform. */
const patternOf = (english: string): RegExp => {
  const escaped = english.replaceAll(/[.()]/g, String.raw`\$&`)
  return new RegExp(`^(?<title>[^:]+: )?${escaped.replaceAll(/\{(\w+)\}/g, '(?<$1>.+)')}$`)
}
const patterns = Object.entries({ ...reasonKeys, ...stepKeys }).map(
  ([english, key]) => [patternOf(english), key] as const,
)
const stall = patternOf('Prefill stalled: no bytes transferred for {seconds} seconds.')

/** Why a session, a run or a job ended, in the reader's language; texts of others as they are. */
export function reasonText(text: string): string {
  const stalled = stall.exec(text)?.groups
  if (stalled !== undefined) {
    return `${stalled['title'] ?? ''}${tn('prefill.reasonStall', Number(stalled['seconds']))}`
  }
  for (const [pattern, key] of patterns) {
    const groups = pattern.exec(text)?.groups
    if (groups !== undefined) return `${groups['title'] ?? ''}${t(key, groups)}`
  }
  return text
}

type Outcome = Pick<LastResult, 'message' | 'messageKey' | 'messageValues' | 'bytesDownloaded'>

/** Why a schedule's run ended as it did, in the reader's language. */
export function outcomeText({ message, messageKey, messageValues, bytesDownloaded }: Outcome) {
  if (messageKey === null) return reasonText(message)
  return t(`prefill.outcome.${messageKey}`, { ...messageValues, size: byteText(bytesDownloaded) })
}
