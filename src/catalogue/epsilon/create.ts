import { OutsideError } from '../../core/lib/outside.ts'
import type { OperationResult } from '../../core/operations/contract.ts'
import { fragmentsOf } from '../../engines/epsilon-connection/fragments.ts'
import { createEpsilonLibrary } from '../../engines/epsilon-connection/library.ts'
import { pollForToken } from '../../engines/epsilon-connection/poll.ts'
import {
  createEpsilonTokens,
  EpsilonRefusal,
  type DeviceCode,
  type EpsilonAccess,
  type EpsilonTokens,
  type MicrosoftToken,
} from '../../engines/epsilon-connection/tokens.ts'
import { askForEach, createLibraryNames, type Collection } from '../library-names.ts'
import type { CatalogueParts } from '../parts.ts'
import { createPlatformAccount } from '../platform-account.ts'
import { applyEpsilon } from './apply.ts'
import { EpsilonStore, isProductOld, type EpsilonGame } from './store.ts'
import { openDevice, type Signing } from '../../engines/epsilon-connection/device.ts'
import type { Credentials } from '../../core/secrets/credentials.ts'

const deviceKeyName = 'epsilon.deviceKey'

/** The stored device; a new one where there is none or it cannot be read. Throws SealError. */
function deviceOf(credentials: Credentials, now: () => Date): Signing {
  const kept = credentials.read(deviceKeyName)
  const stored: unknown = kept.state === 'kept' ? JSON.parse(kept.secret) : null
  const { device, isNew, signing } = openDevice(stored, now)
  if (isNew) credentials.keep(deviceKeyName, JSON.stringify(device))
  return signing
}

const credentialName = 'epsilon.refreshToken'

type EpsilonAccount = ReturnType<typeof createEpsilonAccount>

/**
 * The installation's one Microsoft account. The device key is sealed at rest too, and stays after a
 * sign-out: it names the installation, not the account.
 */
function createEpsilonAccount(deps: CatalogueParts, web: EpsilonTokens) {
  const { clock, credentials } = deps
  const account = createPlatformAccount(deps, {
    credentialName,
    title: 'Xbox',
    company: 'Microsoft',
    Refusal: EpsilonRefusal,
    refresh: (secret) => web.refresh(secret),
  })
  return {
    ...account,
    /** Stores a new sign-in; its name follows. Throws SealError. */
    signedIn: (token: MicrosoftToken) => account.signedIn(token, null),

    rename(gamertag: string): void {
      const kept = credentials.read(credentialName)
      if (kept.state === 'kept') credentials.keep(credentialName, kept.secret, gamertag)
    },

    /** Goes through the token services. Throws EpsilonRefusal, OutsideError, SealError. */
    async authorize(signal: AbortSignal): Promise<EpsilonAccess> {
      const device = deviceOf(credentials, () => clock.now())
      return web.access(await account.accessToken(), device, signal)
    },
  }
}

const refreshHours = 12
const packagesKeptMs = (refreshHours - 1) * 3_600_000

/** A code that waits until a person approves it on another device. */
interface Login {
  code: DeviceCode
  approved: () => void
}

export type Epsilon = ReturnType<typeof createEpsilon>

/** Names of Xbox titles. `onNamed` is called after downloads got other names. */
export function createEpsilon(deps: CatalogueParts, onNamed: () => void) {
  const { config, hub, outside } = deps
  const tokens = createEpsilonTokens(outside, config.epsilon)
  const account = createEpsilonAccount(deps, tokens)
  const store = new EpsilonStore(deps.state)
  const parts: Parts = {
    deps,
    account,
    store,
    library: createEpsilonLibrary(outside, config.epsilon),
  }
  let current: { isWaiting: boolean } | null = null

  const names = createLibraryNames(
    deps,
    {
      platform: 'epsilon',
      title: 'Xbox',
      account,
      store,
      intervalHours: refreshHours,
      // Every code is a sign-in of its own, even while an earlier one ends.
      variantOf: ({ code }: Login) => code.user_code,
      async signIn({ code, approved }: Login, { signal, report }: Collection) {
        report('waitingForApproval', 5)
        account.signedIn(await pollForToken({ ...deps, web: tokens }, code, signal))
        approved()
      },
      collect: (collection: Collection) => collect(parts, collection),
      apply: (signal?: AbortSignal) => applyEpsilon(deps, store, signal),
      refusal: (error: unknown) => (error instanceof EpsilonRefusal ? error.message : null),
    },
    onNamed,
  )

  const announce = (operationId: string, status: string, error: string | null = null) => {
    const stageKey = `signalr.epsilon.mapping.${status === 'waiting' ? 'authenticating' : status}`
    const facts = { operationId, status, stageKey, message: null, error }
    hub.publish('EpsilonMappingAuthStateChanged', facts)
  }

  return {
    account,
    store,
    tokens,
    ...names,
    /** The sign-in that runs, and whether it still waits for its code to be approved. */
    login: () => current,
    /** Waits in a job until the code is approved, and collects titles then. Returns the job's id. */
    followLogin(code: DeviceCode): string {
      const login = { isWaiting: true }
      const approved = () => {
        login.isWaiting = false
        announce(operationId, 'completed')
      }
      const { queued, done } = names.begin({ login: { code, approved } }, false)
      const { operationId } = queued
      current = login
      announce(operationId, 'waiting')
      const ended = (result: OperationResult) => {
        if (current === login) current = null
        if (!login.isWaiting) return
        const error = result.kind === 'failed' ? result.error : null
        announce(operationId, result.kind === 'cancelled' ? 'cancelled' : 'failed', error)
      }
      void done.then(ended)
      return operationId
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
  library: ReturnType<typeof createEpsilonLibrary>
  account: EpsilonAccount
  store: EpsilonStore
}

/** Restarts and repeated runs ask for packages again only when an interval is nearly over. */
function arePackagesOld({ clock, settings }: CatalogueParts): boolean {
  const read = settings.get('epsilon.packagesRead')
  return read === null || clock.now().getTime() - Date.parse(read) >= packagesKeptMs
}

async function collect(
  parts: Parts,
  { found, signal, isScheduled, report }: Collection,
): Promise<void> {
  const { deps, account, library, store } = parts
  const isDue = !isScheduled || arePackagesOld(deps)
  report('collecting', 20)
  const access = await account.authorize(signal)
  await learnName(parts, access, signal)
  const titles = await library.titles(access.titles, signal)
  Object.assign(found, store.takeTitles(titles, deps.clock.now()))
  const owned = new Set(titles.map(({ productId }) => productId))
  const games = store
    .list({})
    .filter((game) => owned.has(game.productId) && (isDue || isProductOld(game, deps.clock.now())))
  await askForEach(games, signal, {
    ask(game, index) {
      report('collecting', 25 + (45 * index) / games.length)
      return complete(parts, game, access, signal)
    },
    isOfGame: ({ status }) => status !== null && status < 500 && status !== 429,
    unanswered: ({ productId }, reason) =>
      deps.log.info({ reason, productId }, 'a title of Xbox has no answer'),
  })
  if (isDue) deps.settings.set('epsilon.packagesRead', deps.clock.now().toISOString())
}

/** The name on the profile is optional: nothing depends on it. */
async function learnName(
  { account, deps, library }: Parts,
  access: EpsilonAccess,
  signal: AbortSignal,
) {
  if (account.displayName() !== null) return
  try {
    const gamertag = access.titles.gamertag ?? (await library.gamertag(access.titles, signal))
    if (gamertag !== null) account.rename(gamertag)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof OutsideError)) throw error
    deps.log.info({ reason: error.message }, 'the name of the Xbox account is not known')
  }
}

/** Asks for the packages of one title; what the store's catalogue says is kept for a week. */
async function complete(
  { deps, library, store }: Parts,
  game: EpsilonGame,
  access: EpsilonAccess,
  signal: AbortSignal,
): Promise<void> {
  const now = () => deps.clock.now()
  const known = isProductOld(game, now())
    ? store.keepProduct(game, await library.product(game.productId, signal), now())
    : game
  for (const contentId of known.contentIds) {
    const found = await library.package(contentId, access.packages, signal)
    store.keepFragments(game.productId, fragmentsOf(found?.files ?? []), now())
  }
}
