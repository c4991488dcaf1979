import { OutsideError } from '../../core/lib/outside.ts'
import {
  basePathOf,
  BetaRefusal,
  createBetaWeb,
  type BetaAsset,
  type BetaWeb,
} from '../../engines/beta-connection/web.ts'
import { intervalHoursOf } from '../interval-hours.ts'
import { askForEach, createLibraryNames, type Collection, type Phase } from '../library-names.ts'
import type { CatalogueParts } from '../parts.ts'
import { createPlatformAccount } from '../platform-account.ts'
import { catalogueSettings } from '../settings.ts'
import { applyBeta } from './apply.ts'
import { BetaStore, isNameOld, isPathMissing, type BetaGame } from './store.ts'

export type Beta = ReturnType<typeof createBeta>

/** The installation's one Epic account. */
function createBetaAccount(deps: CatalogueParts, web: BetaWeb) {
  const account = createPlatformAccount(deps, {
    credentialName: 'beta.refreshToken',
    title: 'Epic Games',
    company: 'Epic Games',
    Refusal: BetaRefusal,
    refresh: (secret) => web.token({ grant_type: 'refresh_token', refresh_token: secret }),
  })
  return {
    ...account,
    /** Throws BetaRefusal, OutsideError, SealError. */
    async signIn(code: string, signal: AbortSignal): Promise<void> {
      const token = await web.token({ grant_type: 'authorization_code', code }, signal)
      signal.throwIfAborted()
      account.signedIn(token, account.displayName())
    },
  }
}

/** Names of Epic's games; a sign-in is the code of Epic's page. `onNamed`: downloads got other names. */
export function createBeta(deps: CatalogueParts, onNamed: () => void) {
  const { clock, config, outside, settings } = deps
  const web = createBetaWeb(outside, config.beta)
  const account = createBetaAccount(deps, web)
  const store = new BetaStore(deps.state, clock.now())
  const parts = { deps, web, account, store }
  let phase: Phase = 'Idle'

  const library = {
    platform: 'beta',
    title: 'Epic Games',
    account,
    store,
    intervalHours: () => settings.get('beta.intervalHours'),
    interval: {
      usual: catalogueSettings['beta.intervalHours'].fallback,
      set: (hours: number) => settings.set('beta.intervalHours', intervalHoursOf(hours)),
      reset: () => settings.clear('beta.intervalHours'),
    },
    variantOf: () => 'login',
    async signIn(code: string, { signal }: Collection) {
      await account.signIn(code, signal)
      // The library may be another account's.
      store.keepEtag('assets', null)
    },
    async collect(collection: Collection, isLogin: boolean) {
      await collect(parts, collection, isLogin)
      if (!isLogin) await freeGames(parts, collection)
    },
    apply: (signal?: AbortSignal) => applyBeta(deps, store, signal),
    refusal: (error: unknown) =>
      error instanceof BetaRefusal ? 'Epic Games refused the sign-in; sign in again' : null,
    phase: (next: Phase) => void (phase = next),
  } as const
  const names = createLibraryNames(deps, library, onNamed)
  const { jobs, begin } = names

  return {
    account,
    store,
    ...names,
    phase: () => phase,
    /**
     * Asks for the address of every game's image again; returns how many have one. 0 without a
     * sign-in. Never rejects.
     */
    async refreshImages(): Promise<number> {
      if (!account.isSignedIn() || jobs.active() !== null) return 0
      const since = clock.now()
      store.forgetDescriptions()
      await begin({}, true).done
      return store.imagesSince(since)
    },
    start() {
      names.start()
      account.start()
    },
    stop: account.stop,
  }
}

interface Parts {
  deps: CatalogueParts
  web: BetaWeb
  account: ReturnType<typeof createBetaAccount>
  store: BetaStore
}

async function collect(
  parts: Parts,
  { found, signal, report }: Collection,
  isLogin: boolean,
): Promise<void> {
  const { deps, web, account, store } = parts
  const now = () => deps.clock.now()
  report('fetchingGames', 15)
  const list = await web.assets(await account.accessToken(), store.etag('assets'), signal)
  if (list.rows !== null) {
    const source = isLogin ? 'mapping-login' : 'scheduled-refresh'
    found.newGames += store.takeAssets(list.rows, source, now())
    store.keepEtag('assets', list.etag)
  }
  const pending = store.pending(now())
  await askForEach(pending, signal, {
    async ask(game, index) {
      report('refreshingCdn', 15 + (40 * index) / pending.length)
      if (await complete(parts, game, signal)) found.updatedGames++
    },
    unanswered: ({ appId }, reason) =>
      deps.log.info({ reason, appId }, 'a game of Epic has no answer'),
  })
}

/**
 * Asks for the name and the base path of one game, as far as they are not stored. Returns whether
 * a stored name or image has changed.
 */
async function complete(
  { deps, web, account, store }: Parts,
  game: BetaGame,
  signal: AbortSignal,
): Promise<boolean> {
  const { appId: appName, namespace, catalogItemId } = game
  if (namespace === null || catalogItemId === null) return false
  const asset: BetaAsset = { appName, namespace, catalogItemId }
  let isChanged = false
  if (isNameOld(game, deps.clock.now())) {
    const answer = await orUnknown(web.describe(await account.accessToken(), asset, signal))
    isChanged = store.keepDescription(game, answer, deps.clock.now()) && game.namedAt !== null
  }
  if (isPathMissing(game)) {
    const answer = await orUnknown(web.build(await account.accessToken(), asset, signal))
    store.keepPath(game, basePathOf(answer?.manifests[0]?.uri ?? ''), deps.clock.now())
  }
  return isChanged
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

async function freeGames({ deps, web, store }: Parts, { found, signal, report }: Collection) {
  report('checkingFreeGames', 60)
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
