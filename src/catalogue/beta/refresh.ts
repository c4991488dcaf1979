import { HistoryUnavailable } from '../../../db/history/history.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import { SealError } from '../../core/lib/seal.ts'
import { OutsideError } from '../../core/lib/outside.ts'
import {
  basePathOf,
  BetaRefusal,
  type BetaAsset,
  type BetaWeb,
} from '../../engines/beta-connection/web.ts'
import type { CatalogueParts } from '../parts.ts'
import type { BetaAccount } from './account.ts'
import { applyBeta } from './apply.ts'
import {
  isNameOld,
  isPathMissing,
  type BetaGame,
  type BetaSource,
  type BetaStore,
  type Found,
} from './store.ts'

/** After this many games in a row that Epic did not answer for, the rest waits for the next run. */
const failuresMax = 3

const stage = (name: string) => `signalr.betaMapping.${name}`

export type BetaPhase = 'Idle' | 'Authenticating' | 'RefreshingCatalog' | 'Completed' | 'Error'

export interface BetaParts {
  deps: CatalogueParts
  web: BetaWeb
  account: BetaAccount
  store: BetaStore
  /** Shown by the status of the schedule. */
  phase: (phase: BetaPhase) => void
  /** Names of downloads changed. */
  named: () => void
}

/** A sign-in with its code, or a refresh. */
export type BetaRun = { kind: 'login'; code: string } | { kind: 'refresh' }

type Say = (stageKey: string, percentComplete: number) => void

interface Collection {
  found: Found
  signal: AbortSignal
  say: Say
}

/** The answer, or null when Epic knows nothing about what was asked. */
async function orUnknown<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    const status = error instanceof OutsideError ? error.status : null
    if (status !== null && status < 500 && status !== 408 && status !== 429) return null
    throw error
  }
}

/** Asks for the name and the base path of one game, as far as they are not stored. */
async function complete(parts: BetaParts, game: BetaGame, { found, signal }: Collection) {
  const { deps, web, account, store } = parts
  const { appId: appName, namespace, catalogItemId } = game
  if (namespace === null || catalogItemId === null) return
  const asset: BetaAsset = { appName, namespace, catalogItemId }
  if (isNameOld(game, deps.clock.now())) {
    const answer = await orUnknown(web.describe(await account.accessToken(), asset, signal))
    const isChanged = store.keepDescription(game, answer, deps.clock.now())
    if (isChanged && game.namedAt !== null) found.updatedGames++
  }
  if (isPathMissing(game)) {
    const answer = await orUnknown(web.build(await account.accessToken(), asset, signal))
    store.keepPath(game, basePathOf(answer?.manifests[0]?.uri ?? ''), deps.clock.now())
  }
}

/** Each answer is stored at once: an interrupted run continues where it was. */
async function collect(parts: BetaParts, source: BetaSource, run: Collection): Promise<void> {
  const { deps, web, account, store } = parts
  const { signal, say, found } = run
  const now = () => deps.clock.now()
  say('fetchingGames', 15)
  const list = await web.assets(await account.accessToken(), store.etag('assets'), signal)
  if (list.rows !== null) {
    found.newGames += store.takeAssets(list.rows, source, now())
    store.keepEtag('assets', list.etag)
  }
  const pending = store.pending(now())
  let failures = 0
  for (const [index, game] of pending.entries()) {
    signal.throwIfAborted()
    say('refreshingCdn', 15 + (40 * index) / pending.length)
    try {
      await complete(parts, game, run)
      failures = 0
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof OutsideError) || ++failures === failuresMax) throw error
      deps.log.info({ reason: error.message, appId: game.appId }, 'a game of Epic has no answer')
    }
  }
}

async function freeGames({ deps, web, store }: BetaParts, { signal, say, found }: Collection) {
  say('checkingFreeGames', 60)
  try {
    const list = await web.freeGames(store.etag('freeGames'), signal)
    if (list.rows === null) return
    const more = store.takeFreeGames(list.rows, deps.clock.now())
    store.keepEtag('freeGames', list.etag)
    found.newGames += more.newGames
    found.updatedGames += more.updatedGames
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof OutsideError)) throw error
    deps.log.info({ reason: error.message }, 'the free games of Epic are not known')
  }
}

/** While the history is away the names are stored; they are applied when it is back. */
async function apply(
  { deps, store, named }: BetaParts,
  { signal, say }: Collection,
): Promise<number> {
  say('applyingMappings', 85)
  try {
    const titles = await applyBeta(deps, store, signal)
    if (titles > 0) named()
    return titles
  } catch (error) {
    if (!(error instanceof HistoryUnavailable)) throw error
    deps.log.info('names of Epic games are applied when the history is available')
    return 0
  }
}

function announce({ deps, store }: BetaParts, source: BetaSource, found: Found): void {
  const { totalGames, lastUpdatedUtc } = store.stats()
  const facts = { totalGames, ...found, lastUpdatedUtc, source }
  deps.hub.publish('BetaGameMappingsUpdated', facts)
}

async function work(
  parts: BetaParts,
  run: BetaRun,
  context: OperationContext,
): Promise<OperationResult> {
  const { deps, account, store, phase } = parts
  const found: Found = { newGames: 0, updatedGames: 0 }
  const facts = () => ({ gamesDiscovered: store.discovered(), ...found })
  const say: Say = (name, percentComplete) =>
    context.report({ stageKey: stage(name), percentComplete, context: facts(), fields: facts() })
  const collected: Collection = { found, signal: context.signal, say }
  const source = run.kind === 'login' ? 'mapping-login' : 'scheduled-refresh'
  if (run.kind === 'login') {
    phase('Authenticating')
    await account.signIn(run.code, context.signal)
    // The library may be another account's.
    store.keepEtag('assets', null)
  }
  phase('RefreshingCatalog')
  const isSignedIn = account.isSignedIn()
  if (isSignedIn) {
    await collect(parts, source, collected)
    if (run.kind === 'refresh') await freeGames(parts, collected)
    announce(parts, source, found)
  }
  const titles = await apply(parts, collected)
  if (isSignedIn) deps.settings.set('beta.lastRefresh', deps.clock.now().toISOString())
  if (!isSignedIn && titles === 0) {
    return { kind: 'skipped', stageKey: stage('skippedNotSignedIn'), message: 'Not signed in' }
  }
  const stageKey = stage(isSignedIn ? 'complete' : 'resolvedWithoutSignIn')
  return { kind: 'completed', stageKey, context: facts(), fields: facts() }
}

const failure = (error: unknown): string | null => {
  if (error instanceof BetaRefusal) return 'Epic Games refused the sign-in; sign in again'
  if (error instanceof OutsideError) return error.message
  if (error instanceof SealError) return 'The sign-in could not be stored: the key file is unusable'
  return null
}

/** One run; never rejects. `failed` receives the error of a run that failed. */
export async function runBeta(
  parts: BetaParts,
  run: BetaRun & { failed?: (error: unknown) => void },
  context: OperationContext,
): Promise<OperationResult> {
  try {
    const result = await work(parts, run, context)
    parts.phase('Completed')
    return result
  } catch (error) {
    if (context.signal.aborted) {
      parts.phase('Idle')
      return { kind: 'cancelled' }
    }
    parts.phase('Error')
    run.failed?.(error)
    const known = failure(error)
    if (known === null) parts.deps.log.error({ err: error }, 'names from Epic were not refreshed')
    else parts.deps.log.warn({ reason: known }, 'names from Epic were not refreshed')
    const text = known ?? 'The names could not be refreshed; see the service’s log'
    return { kind: 'failed', error: text, fields: { errorDetail: text } }
  }
}
