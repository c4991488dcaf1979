import type { LastResult } from '../../prefill/scheduled/named-model.ts'
import type { outcomeTexts } from '../../prefill/scheduled/outcomes.ts'
import type { ReasonText } from '../../prefill/reasons.ts'
import { byteText } from './numbers.ts'
import { t, tn, type Key } from '../locales/translate.ts'

type RunText = (typeof outcomeTexts)['busy' | 'overtime' | 'stalled']

/** By the texts of the service, which are stored with sessions and games. */
const reasonKeys: Readonly<Record<ReasonText | RunText, Key>> = {
  'A prefill is already in progress': 'prefill.outcome.busy',
  'App restarted - session orphaned': 'prefill.reasonOrphaned',
  'Banned by admin': 'prefill.reasonBanned',
  'Edit session cleaned up': 'prefill.reasonEditOver',
  'Ended by user': 'prefill.reasonEnded',
  'Exceeded maximum service runtime': 'prefill.outcome.overtime',
  'Larder was restarted during this prefill': 'prefill.reasonInterrupted',
  'Larder was stopped': 'prefill.reasonServiceStopped',
  'Logins cleared': 'prefill.reasonLoginsCleared',
  'No game could be prefilled': 'prefill.reasonAllFailed',
  'Prefill failed': 'prefill.reasonFailed',
  'Prefill failed to start': 'prefill.reasonNotStarted',
  'Prefill permission ended': 'prefill.reasonPermission',
  'Prefill stalled (no progress)': 'prefill.outcome.stalled',
  Replaced: 'prefill.reasonReplaced',
  'Session expired': 'prefill.reasonExpired',
  'Signed out of Larder': 'prefill.reasonSignedOut',
  'Socket connection lost unexpectedly': 'prefill.reasonLost',
  Stopped: 'prefill.reasonStopped',
  'Superseded by new prefill operation': 'prefill.reasonSuperseded',
  'Terminated by admin': 'prefill.reasonTerminated',
  'The daemon’s socket is closed to Larder’s user: set PREFILL_SOCKET_MODE of the daemon to 666':
    'prefill.problem.denied',
}
const known: ReadonlyMap<string, Key> = new Map(Object.entries(reasonKeys))
const stall = /^Prefill stalled: no bytes transferred for (\d+) seconds\.$/

/** Why a session or a run ended, in the reader's language; texts of others as they are. */
export function reasonText(text: string): string {
  const seconds = stall.exec(text)?.[1]
  if (seconds !== undefined) return tn('prefill.reasonStall', Number(seconds))
  const key = known.get(text)
  return key === undefined ? text : t(key)
}

type Outcome = Pick<LastResult, 'message' | 'messageKey' | 'messageValues' | 'bytesDownloaded'>

/** Why a schedule's run ended as it did, in the reader's language. */
export function outcomeText({ message, messageKey, messageValues, bytesDownloaded }: Outcome) {
  if (messageKey === null) return reasonText(message)
  return t(`prefill.outcome.${messageKey}`, { ...messageValues, size: byteText(bytesDownloaded) })
}
