import { Type, type Static } from '@sinclair/typebox'
import {
  Int,
  LargeInt,
  Model,
  Nullable,
  Num,
  Percent,
  stringUnion,
  Text,
} from '../../core/lib/schema.ts'
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

/** A depot and its manifest; ids have up to 64 bits and are texts. */
export interface DepotManifest {
  depotId: string
  manifestId: string
}

/** Progress of a run; states and results in the daemon's words. */
export const PrefillProgress = Model('PrefillProgress', {
  state: stringUnion(progressStates),
  message: Nullable(Text),
  currentAppId: Nullable(Text),
  currentAppName: Nullable(Text),
  totalBytes: LargeInt,
  bytesDownloaded: LargeInt,
  percentComplete: Percent,
  bytesPerSecond: Num,
  elapsedSeconds: Num,
  result: Nullable(stringUnion(appResults)),
  errorMessage: Nullable(Text),
  totalApps: Int,
  updatedApps: Int,
  alreadyUpToDate: Int,
  failedApps: Int,
  totalBytesTransferred: LargeInt,
  totalTimeSeconds: Num,
  updatedAt: Nullable(Text),
  depots: Nullable(
    Type.Array(Type.Object({ depotId: Text, manifestId: Text, totalBytes: LargeInt })),
  ),
  hitBytes: Type.Integer({ minimum: 0, description: 'Bytes that the cache had; 0 if not known' }),
  missBytes: Type.Integer({
    minimum: 0,
    description: 'Bytes fetched by the cache; 0 if not known',
  }),
  isPaused: Type.Boolean({ description: 'The bandwidth budget pauses the run' }),
  waitingSince: Nullable(LargeInt, 'In the state `waiting-for-cache`: since when, in Unix seconds'),
})
export type PrefillProgress = Static<typeof PrefillProgress>

/** Data of the event `progress`. Numbers that a state has no use for are 0. */
export interface Progress extends Omit<PrefillProgress, 'depots'> {
  depots: DepotManifest[]
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

/** What the manager called a run and its schedule when it started it; null: nothing. */
export interface RunNames {
  run: string | null
  scheduleId: string | null
  scheduleName: string | null
}

/** A part of what a daemon has kept of its last run, in the order in which it happened. */
export interface RunReport extends RunNames {
  /** `host:port` where it requests content; null: the usual cache. */
  cache: string | null
  /** Ends, and the last progress before each that does not say the bytes. */
  events: Progress[]
  /** No event comes after these, so far. */
  isWhole: boolean
}

/** Answer to `get-last-run`. Throws MessageError. */
export function readRunReport(data: unknown): RunReport {
  const fields = new Fields(data, 'last run')
  return {
    run: fields.text('run'),
    scheduleId: fields.text('scheduleId'),
    scheduleName: fields.text('scheduleName'),
    cache: fields.text('cache'),
    events: fields.list('events').map(readProgress),
    isWhole: fields.flag('isWhole'),
  }
}

function readDepot(value: unknown): DepotManifest {
  const fields = new Fields(value, 'depot')
  return { depotId: fields.requiredId('depotId'), manifestId: fields.requiredId('manifestId') }
}

/** A progress with every number 0; `part` holds what the state needs. */
export const progressOf = (part: Partial<Progress> & Pick<Progress, 'state'>): Progress => ({
  ...readProgress({ state: part.state }),
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
