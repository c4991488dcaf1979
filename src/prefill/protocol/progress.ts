import { Fields, MessageError } from './fields.ts'
import { wireNumber } from './wire-json.ts'

export const progressStates = [
  'preparing',
  'downloading',
  // Our own daemons: nothing comes before the cache answers again.
  'waiting-for-cache',
  'app_completed',
  'already_cached',
  'completed',
  'error',
  'cancelled',
] as const
export type ProgressState = (typeof progressStates)[number]

/** One of these ends a run; exactly one does with our own daemon. */
export const isTerminal = (state: ProgressState): boolean =>
  state === 'completed' || state === 'error' || state === 'cancelled'

/** How one app of a run ended. */
export const appResults = [
  'Success',
  'Failed',
  'Skipped',
  'NoDepotsToDownload',
  'AlreadyUpToDate',
] as const
export type AppResult = (typeof appResults)[number]

/** A depot and its manifest; ids have up to 64 bits and are texts. */
export interface DepotManifest {
  depotId: string
  manifestId: string
}

/** Data of the event `progress`. Numbers that a state has no use for are 0. */
export interface Progress {
  state: ProgressState
  message: string | null
  currentAppId: string | null
  currentAppName: string | null
  totalBytes: number
  bytesDownloaded: number
  percentComplete: number
  bytesPerSecond: number
  elapsedSeconds: number
  result: AppResult | null
  errorMessage: string | null
  totalApps: number
  updatedApps: number
  alreadyUpToDate: number
  failedApps: number
  totalBytesTransferred: number
  totalTimeSeconds: number
  updatedAt: string | null
  depots: DepotManifest[]
  /**
   * Bytes that the proxy reported as served from the cache, and as fetched, in this run. Only our
   * own daemons send them; bytes without such a report are in neither.
   */
  hitBytes: number
  missBytes: number
  /** Our own daemons: the bandwidth budget is paused. */
  isPaused: boolean
  /** In the state `waiting-for-cache`: since when, in Unix seconds. */
  waitingSince: number | null
}

/** Throws MessageError, also for an unknown state. */
export function readProgress(data: unknown): Progress {
  const fields = new Fields(data, 'progress')
  const given = fields.any('state')
  // Some daemons say so when a run failed.
  const state = progressStates.find((known) => known === (given === 'failed' ? 'error' : given))
  if (state === undefined) throw new MessageError('progress: unknown state')
  return {
    state,
    message: fields.text('message'),
    currentAppId: fields.id('currentAppId'),
    currentAppName: fields.text('currentAppName'),
    totalBytes: fields.count('totalBytes'),
    bytesDownloaded: fields.count('bytesDownloaded'),
    percentComplete: Math.min(fields.amount('percentComplete'), 100),
    bytesPerSecond: fields.amount('bytesPerSecond'),
    elapsedSeconds: fields.amount('elapsedSeconds'),
    result: appResults.find((known) => known === fields.any('result')) ?? null,
    errorMessage: fields.text('errorMessage'),
    totalApps: fields.count('totalApps'),
    updatedApps: fields.count('updatedApps'),
    alreadyUpToDate: fields.count('alreadyUpToDate'),
    failedApps: fields.count('failedApps'),
    totalBytesTransferred: fields.count('totalBytesTransferred'),
    totalTimeSeconds: fields.amount('totalTimeSeconds'),
    updatedAt: fields.text('updatedAt'),
    depots: fields.list('depots').map(readDepot),
    hitBytes: fields.count('hitBytes'),
    missBytes: fields.count('missBytes'),
    isPaused: fields.flag('isPaused'),
    waitingSince: fields.count('waitingSince') || null,
  }
}

function readDepot(value: unknown): DepotManifest {
  const fields = new Fields(value, 'depot')
  return { depotId: fields.requiredId('depotId'), manifestId: fields.requiredId('manifestId') }
}

/** A progress with every number 0; `part` holds what the state needs. */
export const progressOf = (part: Partial<Progress> & Pick<Progress, 'state'>): Progress => ({
  message: null,
  currentAppId: null,
  currentAppName: null,
  totalBytes: 0,
  bytesDownloaded: 0,
  percentComplete: 0,
  bytesPerSecond: 0,
  elapsedSeconds: 0,
  result: null,
  errorMessage: null,
  totalApps: 0,
  updatedApps: 0,
  alreadyUpToDate: 0,
  failedApps: 0,
  totalBytesTransferred: 0,
  totalTimeSeconds: 0,
  updatedAt: null,
  depots: [],
  hitBytes: 0,
  missBytes: 0,
  isPaused: false,
  waitingSince: null,
  ...part,
})

/** Seconds as `hh:mm:ss.fffffff`. */
export function durationText(seconds: number): string {
  const whole = Math.floor(seconds)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const fraction = String(Math.floor((seconds - whole) * 1e7)).padStart(7, '0')
  return `${two(whole / 3600)}:${two((whole / 60) % 60)}:${two(whole % 60)}.${fraction}`
}

/** An app id as it is sent: a number where the platform has numbers. */
export const wireId = (id: string, isNumeric: boolean): string | object =>
  isNumeric && /^\d+$/.test(id) ? wireNumber(id) : id

/** A progress as it is sent. */
export function progressData(progress: Progress, hasNumericIds: boolean): object {
  const { currentAppId, depots, elapsedSeconds, totalTimeSeconds } = progress
  return {
    ...progress,
    currentAppId: wireId(currentAppId ?? (hasNumericIds ? '0' : ''), hasNumericIds),
    elapsed: durationText(elapsedSeconds),
    totalTime: durationText(totalTimeSeconds),
    depots:
      depots.length === 0
        ? null
        : depots.map(({ depotId, manifestId }) => ({
            depotId: wireId(depotId, true),
            manifestId: wireId(manifestId, true),
            totalBytes: 0,
          })),
  }
}
