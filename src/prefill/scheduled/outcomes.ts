import { phraseBook } from '../../core/lib/phrases.ts'

/** How runs of schedules end, and why. Each is sent in English, and as key with values. */
export const outcomeTexts = {
  busy: 'A prefill is already in progress',
  completed: 'Prefill completed ({size} downloaded)',
  completedPartly: 'Prefill completed ({size} downloaded); games that failed: {failed}',
  completedSome:
    'Prefill completed ({size} downloaded); failed games: {failed}; accounts not ready: {accounts}',
  dataCap: '{percent} % of the line’s monthly volume are used',
  interrupted: 'Larder was restarted during this run',
  manualSession: 'A manual prefill session is active',
  noDaemon: 'No daemon registered for this service',
  noSession: 'No running persistent session for {platform}',
  notReady: 'The persistent session for {platform} is not ready yet',
  notSignedIn: 'The persistent session for {platform} runs but is not signed in',
  overtime: 'Exceeded maximum service runtime',
  stalled: 'Prefill stalled (no progress)',
  stopped: 'Prefill stopped',
  upToDate: 'Prefill completed; everything was up to date',
  upToDateForce:
    'Prefill completed; everything was up to date. Use force to download the selected games again',
} as const
export type OutcomeKey = keyof typeof outcomeTexts

export const outcome = phraseBook(outcomeTexts)
