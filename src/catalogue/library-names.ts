/*
 * Names that only the library of an account knows (Epic Games, Xbox): the run that signs in or
 * refreshes, its schedule, and how stored names reach the history. `beta/` and `epsilon/` say what
 * they ask their platform.
 */
import { HistoryUnavailable } from '../../db/history/history.ts'
import { OutsideError } from '../core/lib/outside.ts'
import { SealError } from '../core/lib/seal.ts'
import type { OperationContext, OperationResult, Queued } from '../core/operations/contract.ts'
import { named } from '../core/operations/names.ts'
import type { ScheduleCard } from '../core/schedules/contract.ts'
import { createMappingJobs } from './mapping-jobs.ts'
import type { CatalogueParts } from './parts.ts'

/** After this many games in a row without an answer, the rest waits for the next run. */
const failuresMax = 3

/** How many games a run found, and changed. */
export interface Found {
  newGames: number
  updatedGames: number
}

/** A run that collects. */
export interface Collection {
  found: Found
  signal: AbortSignal
  /** At the start of the service, or after an interval: nobody has asked for it. */
  isScheduled: boolean
  report: (stage: string, percentComplete: number) => void
}

interface Library<Login> {
  platform: 'beta' | 'epsilon'
  /** In lines of the log. */
  title: string
  account: { isSignedIn: () => boolean }
  store: {
    stats: () => { totalGames: number; lastUpdatedUtc: string | null }
    /** Games found on the platform. */
    discovered: () => number
  }
  intervalHours: number | (() => number)
  /** How operators change the interval. */
  interval?: ScheduleCard['interval']
  /** Two sign-ins of one variant are one job. */
  variantOf: (login: Login) => string
  signIn: (login: Login, collection: Collection) => Promise<void>
  /** Each answer is stored at once: an interrupted run continues where it was. */
  collect: (collection: Collection, isLogin: boolean) => Promise<void>
  /** Writes stored names to the history; returns how many titles changed. */
  apply: (signal?: AbortSignal) => Promise<number>
  /** The text for an error of the platform's sign-in; null for any other. */
  refusal: (error: unknown) => string | null
  phase?: (phase: Phase) => void
}

/** What a run does or how the last one ended. */
export type Phase = 'Idle' | 'Authenticating' | 'RefreshingCatalog' | 'Completed' | 'Error'

/** `login` signs in before it collects; `failed` receives the error of a run that failed. */
export interface LibraryRun<Login> {
  login?: Login
  isScheduled?: boolean
  failed?: (error: unknown) => void
}

type Parts = Pick<
  CatalogueParts,
  'clock' | 'history' | 'hub' | 'log' | 'operations' | 'schedules' | 'settings'
>

export const serviceKeyOf = <P extends string>(platform: P) => `${platform}Mapping` as const
const prefixes = { beta: 'Beta', epsilon: 'Epsilon' } as const
const stageOf = (platform: 'beta' | 'epsilon', name: string) =>
  `signalr.${serviceKeyOf(platform)}.${name}`

/** Writes stored names to the history, now and whenever it becomes available. */
function createNaming<Login>(
  { history, hub, log }: Parts,
  { apply, platform, title }: Library<Login>,
  onNamed: () => void,
) {
  async function write(signal?: AbortSignal): Promise<number> {
    const titles = await apply(signal)
    if (titles > 0) {
      onNamed()
      hub.publish('DownloadsRefresh', { reason: `${platform}-mapping` })
    }
    return titles
  }

  /** Titles that came while the history was away, and those of a new history. */
  function whenReady(): void {
    if (history.status().state !== 'ready') return
    write().catch((error: unknown) =>
      log.info({ err: error }, `names from ${title} were not applied`),
    )
  }

  return {
    /** While the history is away the names are stored; they are applied when it is back. */
    now: async (signal: AbortSignal): Promise<number> => {
      try {
        return await write(signal)
      } catch (error) {
        if (!(error instanceof HistoryUnavailable)) throw error
        log.info(`names from ${title} are applied when the history is available`)
        return 0
      }
    },
    start() {
      history.onStatus(whenReady)
      whenReady()
    },
  }
}

async function work<Login>(
  { clock, hub, settings }: Parts,
  library: Library<Login>,
  {
    wanted: { login, isScheduled = false },
    context,
    name,
  }: {
    wanted: LibraryRun<Login>
    context: OperationContext
    name: (signal: AbortSignal) => Promise<number>
  },
): Promise<OperationResult> {
  const { platform, account, store } = library
  const stage = (part: string) => stageOf(platform, part)
  const found: Found = { newGames: 0, updatedGames: 0 }
  const facts = () => ({ gamesDiscovered: store.discovered(), ...found })
  const report = (part: string, percentComplete: number) =>
    context.report({ stageKey: stage(part), percentComplete, context: facts(), fields: facts() })
  const collection: Collection = { found, signal: context.signal, isScheduled, report }
  if (login !== undefined) {
    library.phase?.('Authenticating')
    await library.signIn(login, collection)
  }
  library.phase?.('RefreshingCatalog')
  const isSignedIn = account.isSignedIn()
  async function collected(): Promise<void> {
    await library.collect(collection, login !== undefined)
    const { totalGames, lastUpdatedUtc } = store.stats()
    const source = login === undefined ? 'scheduled-refresh' : 'mapping-login'
    const news = { totalGames, ...found, lastUpdatedUtc, source }
    hub.publish(`${prefixes[platform]}GameMappingsUpdated`, news)
  }
  const [outcome] = await Promise.allSettled(isSignedIn ? [collected()] : [])
  context.signal.throwIfAborted()
  report('applyingMappings', 90)
  const titles = await name(context.signal)
  // What was stored before a failure has named downloads, too.
  if (outcome?.status === 'rejected') throw outcome.reason
  if (isSignedIn) settings.set(`${platform}.lastRefresh`, clock.now().toISOString())
  if (!isSignedIn && titles === 0) {
    return { kind: 'skipped', stageKey: stage('skippedNotSignedIn'), message: 'Not signed in' }
  }
  const stageKey = stage(isSignedIn ? 'complete' : 'resolvedWithoutSignIn')
  return { kind: 'completed', stageKey, context: facts(), fields: facts() }
}

/** The result of a run that did not end well. */
function ended<Login>(
  { log }: Parts,
  { title, refusal, phase }: Library<Login>,
  { error, isAborted }: { error: unknown; isAborted: boolean },
): OperationResult {
  phase?.(isAborted ? 'Idle' : 'Error')
  if (isAborted) return { kind: 'cancelled' }
  const known = refusal(error) ?? textOf(error)
  if (known === null) log.error({ err: error }, `names from ${title} were not refreshed`)
  else log.warn({ reason: known }, `names from ${title} were not refreshed`)
  const text = known ?? 'The names could not be refreshed; see the service’s log'
  return { kind: 'failed', error: text, fields: { errorDetail: text } }
}

/** `onNamed` is called after downloads got other names. */
export function createLibraryNames<Login>(
  parts: Parts,
  library: Library<Login>,
  onNamed: () => void,
) {
  const { operations, schedules } = parts
  const { platform, account } = library
  const serviceKey = serviceKeyOf(platform)
  const jobs = createMappingJobs(operations, serviceKey)
  const naming = createNaming(parts, library, onNamed)

  async function run(wanted: LibraryRun<Login>, context: OperationContext) {
    try {
      const result = await work(parts, library, { wanted, context, name: naming.now })
      library.phase?.('Completed')
      return result
    } catch (error) {
      const isAborted = context.signal.aborted
      if (!isAborted) wanted.failed?.(error)
      return ended(parts, library, { error, isAborted })
    }
  }

  /** Submits a run; `done` is its result and never rejects. Throws OperationRefused. */
  function begin(
    wanted: LibraryRun<Login>,
    isSilent: boolean,
  ): { queued: Queued; done: Promise<OperationResult> } {
    const { login } = wanted
    return jobs.begin({
      scope: platform,
      variant: login === undefined ? 'refresh' : library.variantOf(login),
      ...named(login === undefined ? serviceKey : `${platform}SignIn`),
      isSilent,
      events: { prefix: `${prefixes[platform]}Mapping`, showNotification: !isSilent },
      async run(context) {
        const result = await run(wanted, context)
        // A sign-in collects as much as a refresh: the next one is an interval away.
        if (!isSilent && result.kind === 'completed') schedules.noteRun(serviceKey)
        return result
      },
    })
  }

  return {
    jobs,
    begin,
    /** Joins a run that is active. Throws OperationRefused. */
    refresh: () => {
      const { operationId, alreadyRunning } = jobs.joined() ?? begin({}, false).queued
      return { operationId, alreadyRunning }
    },
    start() {
      naming.start()
      schedules.register({
        serviceKey,
        intervalHours: library.intervalHours,
        runOnStartup: true,
        card: {
          notificationMode: 'manual',
          operationType: serviceKey,
          operationScope: platform,
          ...(library.interval === undefined ? {} : { interval: library.interval }),
          hindrance: () => ({ awaitingSignIn: !account.isSignedIn() }),
        },
        run(trigger, { isSilent }) {
          const joined = jobs.joined()
          if (joined !== null) return joined
          const { queued, done } = begin({ isScheduled: trigger !== 'manual' }, isSilent)
          void done.then(({ kind }) => schedules.noteEnd(serviceKey, kind === 'failed'))
          return queued
        },
      })
    },
  }
}

function textOf(error: unknown): string | null {
  if (error instanceof OutsideError) return error.message
  if (error instanceof SealError) return 'The sign-in could not be stored: the key file is unusable'
  return null
}

/**
 * Asks for each game in turn. A few in a row without an answer end it, unless the answer is about
 * one game alone (`isOfGame`). Throws the last OutsideError then, and whatever else `ask` throws.
 */
export async function askForEach<Game>(
  games: readonly Game[],
  signal: AbortSignal,
  {
    ask,
    isOfGame = () => false,
    unanswered,
  }: {
    ask: (game: Game, index: number) => Promise<void>
    isOfGame?: (error: OutsideError) => boolean
    unanswered: (game: Game, reason: string) => void
  },
): Promise<void> {
  let failures = 0
  for (const [index, game] of games.entries()) {
    signal.throwIfAborted()
    try {
      await ask(game, index)
      failures = 0
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof OutsideError)) throw error
      if (!isOfGame(error) && ++failures === failuresMax) throw error
      unanswered(game, error.message)
    }
  }
}
