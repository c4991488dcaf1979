import { HistoryUnavailable } from '../../../db/history/history.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import { fragmentsOf } from '../../engines/epsilon-connection/fragments.ts'
import type { EpsilonLibrary } from '../../engines/epsilon-connection/library.ts'
import { pollForToken } from '../../engines/epsilon-connection/poll.ts'
import {
  EpsilonRefusal,
  type DeviceCode,
  type EpsilonAccess,
  type EpsilonTokens,
} from '../../engines/epsilon-connection/tokens.ts'
import { SealError } from '../../core/lib/seal.ts'
import { OutsideError } from '../../core/lib/outside.ts'
import type { CatalogueParts } from '../parts.ts'
import type { EpsilonAccount } from './account.ts'
import { applyEpsilon } from './apply.ts'
import { isProductOld, type EpsilonGame, type EpsilonStore, type Found } from './store.ts'

/** After this many titles in a row that Xbox did not answer for, the rest waits for the next run. */
const failuresMax = 3

const stage = (name: string) => `signalr.epsilonMapping.${name}`

export interface EpsilonParts {
  deps: CatalogueParts
  web: EpsilonTokens
  library: EpsilonLibrary
  account: EpsilonAccount
  store: EpsilonStore
  /** Names of downloads changed. */
  named: () => void
}

/** A sign-in that waits for its code to be approved, or a refresh. */
export type EpsilonRun = { kind: 'login'; code: DeviceCode; approved(): void } | { kind: 'refresh' }

interface Collection {
  found: Found
  signal: AbortSignal
  say: (stageKey: string, percentComplete: number) => void
}

/** Asks for the packages of one title; what the store's catalogue says is kept for a week. */
async function complete(
  parts: EpsilonParts,
  game: EpsilonGame,
  { access, signal }: { access: EpsilonAccess; signal: AbortSignal },
): Promise<void> {
  const { store } = parts
  const now = () => parts.deps.clock.now()
  let known = game
  if (isProductOld(game, now())) {
    known = store.keepProduct(game, await parts.library.product(game.productId, signal), now())
  }
  for (const contentId of known.contentIds) {
    const found = await parts.library.package(contentId, access.packages, signal)
    store.keepFragments(game.productId, fragmentsOf(found?.files ?? []), now())
  }
}

/** The name on the profile is optional: nothing depends on it. */
async function learnName(parts: EpsilonParts, access: EpsilonAccess, signal: AbortSignal) {
  const { account, deps } = parts
  if (account.displayName() !== null) return
  try {
    const gamertag = access.titles.gamertag ?? (await parts.library.gamertag(access.titles, signal))
    if (gamertag !== null) account.rename(gamertag)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof OutsideError)) throw error
    deps.log.info({ reason: error.message }, 'the name of the Xbox account is not known')
  }
}

/** Each answer is stored at once: an interrupted run has not asked in vain. */
async function collect(parts: EpsilonParts, run: Collection): Promise<void> {
  const { deps, account, store } = parts
  const { found, signal, say } = run
  say('collecting', 20)
  const access = await account.authorize(signal)
  await learnName(parts, access, signal)
  const titles = await parts.library.titles(access.titles, signal)
  Object.assign(found, store.takeTitles(titles, deps.clock.now()))
  const owned = new Set(titles.map(({ productId }) => productId))
  const games = store.list({}).filter(({ productId }) => owned.has(productId))
  let failures = 0
  for (const [index, game] of games.entries()) {
    signal.throwIfAborted()
    say('collecting', 25 + (45 * index) / games.length)
    try {
      await complete(parts, game, { access, signal })
      failures = 0
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof OutsideError)) throw error
      // An answer about this title alone says nothing about the next one.
      const isOfTitle = error.status !== null && error.status < 500 && error.status !== 429
      if (!isOfTitle && ++failures === failuresMax) throw error
      const { productId } = game
      deps.log.info({ reason: error.message, productId }, 'a title of Xbox has no answer')
    }
  }
}

/** While the history is away the names are stored; they are applied when it is back. */
async function apply({ deps, store, named }: EpsilonParts, { signal, say }: Collection) {
  say('applyingMappings', 90)
  try {
    const titles = await applyEpsilon(deps, store, signal)
    if (titles > 0) named()
    return titles
  } catch (error) {
    if (!(error instanceof HistoryUnavailable)) throw error
    deps.log.info('names of Xbox titles are applied when the history is available')
    return 0
  }
}

async function work(
  parts: EpsilonParts,
  run: EpsilonRun,
  context: OperationContext,
): Promise<OperationResult> {
  const { deps, web, account, store } = parts
  const { signal } = context
  const found: Found = { newGames: 0, updatedGames: 0 }
  const facts = () => ({ gamesDiscovered: store.stats().totalGames, ...found })
  const say: Collection['say'] = (name, percentComplete) =>
    context.report({ stageKey: stage(name), percentComplete, context: facts(), fields: facts() })
  const collected = { found, signal, say }
  if (run.kind === 'login') {
    say('waitingForApproval', 5)
    account.signedIn(await pollForToken({ ...deps, web }, run.code, signal))
    run.approved()
  }
  const isSignedIn = account.isSignedIn()
  if (isSignedIn) {
    await collect(parts, collected)
    const { totalGames, lastUpdatedUtc } = store.stats()
    const source = run.kind === 'login' ? 'mapping-login' : 'scheduled-refresh'
    const facts = { totalGames, ...found, lastUpdatedUtc, source }
    deps.hub.publish('EpsilonGameMappingsUpdated', facts)
  }
  const titles = await apply(parts, collected)
  if (isSignedIn) deps.settings.set('epsilon.lastRefresh', deps.clock.now().toISOString())
  if (!isSignedIn && titles === 0) {
    return { kind: 'skipped', stageKey: stage('skippedNotSignedIn'), message: 'Not signed in' }
  }
  const stageKey = stage(isSignedIn ? 'complete' : 'resolvedWithoutSignIn')
  return { kind: 'completed', stageKey, context: facts(), fields: facts() }
}

function failure(error: unknown): string | null {
  if (error instanceof EpsilonRefusal || error instanceof OutsideError) return error.message
  if (error instanceof SealError) return 'The sign-in could not be stored: the key file is unusable'
  return null
}

/** One run; never rejects. */
export async function runEpsilon(
  parts: EpsilonParts,
  run: EpsilonRun,
  context: OperationContext,
): Promise<OperationResult> {
  const { log } = parts.deps
  try {
    return await work(parts, run, context)
  } catch (error) {
    if (context.signal.aborted) return { kind: 'cancelled' }
    const known = failure(error)
    if (known === null) log.error({ err: error }, 'names from Xbox were not refreshed')
    else log.warn({ reason: known }, 'names from Xbox were not refreshed')
    const text = known ?? 'The names could not be refreshed; see the service’s log'
    return { kind: 'failed', error: text, fields: { errorDetail: text } }
  }
}
