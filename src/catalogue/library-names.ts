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
  /** Reports a stage of the run. */
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
  failed?: (error: unknown) => void
}

/** `onNamed` is called after downloads got other names. */
export function createLibraryNames<Login>(
  { clock, history, hub, log, operations, schedules, settings }: CatalogueParts,
  library: Library<Login>,
  onNamed: () => void,
) {
  const { platform, title, account, store } = library
  const serviceKey = `${platform}Mapping` as const
  const prefix = platform === 'beta' ? 'Beta' : 'Epsilon'
  const jobs = createMappingJobs(operations, serviceKey)
  const stage = (name: string) => `signalr.${serviceKey}.${name}`

  async function apply(signal?: AbortSignal): Promise<number> {
    const titles = await library.apply(signal)
    if (titles > 0) {
      onNamed()
      hub.publish('DownloadsRefresh', { reason: `${platform}-mapping` })
    }
    return titles
  }

  /** While the history is away the names are stored; they are applied when it is back. */
  async function applyNow({ signal, report }: Collection): Promise<number> {
    report('applyingMappings', 90)
    try {
      return await apply(signal)
    } catch (error) {
      if (!(error instanceof HistoryUnavailable)) throw error
      log.info(`names from ${title} are applied when the history is available`)
      return 0
    }
  }

  /** Titles that came while the history was away, and those of a new history. */
  function applyWhenReady(): void {
    if (history.status().state !== 'ready') return
    apply().catch((error: unknown) =>
      log.info({ err: error }, `names from ${title} were not applied`),
    )
  }

  async function work(login: Login | undefined, context: OperationContext) {
    const found: Found = { newGames: 0, updatedGames: 0 }
    const facts = () => ({ gamesDiscovered: store.discovered(), ...found })
    const collection: Collection = {
      found,
      signal: context.signal,
      report: (name, percentComplete) =>
        context.report({
          stageKey: stage(name),
          percentComplete,
          context: facts(),
          fields: facts(),
        }),
    }
    if (login !== undefined) {
      library.phase?.('Authenticating')
      await library.signIn(login, collection)
    }
    library.phase?.('RefreshingCatalog')
    const isSignedIn = account.isSignedIn()
    if (isSignedIn) {
      await library.collect(collection, login !== undefined)
      const { totalGames, lastUpdatedUtc } = store.stats()
      const source = login === undefined ? 'scheduled-refresh' : 'mapping-login'
      const facts = { totalGames, ...found, lastUpdatedUtc, source }
      hub.publish(`${prefix}GameMappingsUpdated`, facts)
    }
    const titles = await applyNow(collection)
    if (isSignedIn) settings.set(`${platform}.lastRefresh`, clock.now().toISOString())
    if (!isSignedIn && titles === 0) {
      const stageKey = stage('skippedNotSignedIn')
      return { kind: 'skipped', stageKey, message: 'Not signed in' } as const
    }
    const stageKey = stage(isSignedIn ? 'complete' : 'resolvedWithoutSignIn')
    return { kind: 'completed', stageKey, context: facts(), fields: facts() } as const
  }

  /** Never rejects. */
  async function run(
    { login, failed }: LibraryRun<Login>,
    context: OperationContext,
  ): Promise<OperationResult> {
    try {
      const result = await work(login, context)
      library.phase?.('Completed')
      return result
    } catch (error) {
      if (context.signal.aborted) {
        library.phase?.('Idle')
        return { kind: 'cancelled' }
      }
      library.phase?.('Error')
      failed?.(error)
      const known = library.refusal(error) ?? textOf(error)
      if (known === null) log.error({ err: error }, `names from ${title} were not refreshed`)
      else log.warn({ reason: known }, `names from ${title} were not refreshed`)
      const text = known ?? 'The names could not be refreshed; see the service’s log'
      return { kind: 'failed', error: text, fields: { errorDetail: text } }
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
      events: { prefix: `${prefix}Mapping`, showNotification: !isSilent },
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
    refresh() {
      const active = jobs.active()
      if (active !== null) return { operationId: active.id, alreadyRunning: true }
      return { operationId: begin({}, false).queued.operationId, alreadyRunning: false }
    },
    start() {
      history.onStatus(applyWhenReady)
      applyWhenReady()
      schedules.register({
        serviceKey,
        intervalHours: library.intervalHours,
        runOnStartup: false,
        card: {
          notificationMode: 'manual',
          operationType: serviceKey,
          operationScope: platform,
          ...(library.interval === undefined ? {} : { interval: library.interval }),
          hindrance: () => ({ awaitingSignIn: !account.isSignedIn() }),
        },
        run: (_trigger, { isSilent }) =>
          jobs.active() === null ? begin({}, isSilent).queued : undefined,
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
