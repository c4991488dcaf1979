import { unavailable } from '../../core/http/errors.ts'
import { EpsilonRefusal, type DeviceCode } from '../../engines/epsilon-connection/tokens.ts'
import { OutsideError } from '../../core/lib/outside.ts'
import type { Page } from '../mapping-list-model.ts'
import type { CatalogueParts } from '../parts.ts'
import { searchText } from '../search-text.ts'
import type { Epsilon } from './create.ts'
import type { EpsilonGameMapping } from './model.ts'
import type { EpsilonGame } from './store.ts'

/** Microsoft ends a sign-in that was not used for this long. */
const tokenDays = 90

const wire = (game: EpsilonGame): EpsilonGameMapping => ({
  productId: game.productId,
  title: game.title,
  discoveredAtUtc: game.discoveredAt.toISOString(),
  lastSeenAtUtc: game.lastSeenAt.toISOString(),
  imageUrl: game.imageUrl,
})

/** What the endpoints of the Xbox mappings do. */
export function epsilonService(deps: CatalogueParts, epsilon: Epsilon) {
  const { log, schedules, settings } = deps
  const { account, jobs, store, tokens } = epsilon
  return {
    list: (page: Page) => store.list(page).map(wire),
    search: (q: string) => store.search(searchText(q)).map(wire),
    stats: () => store.stats(),
    refresh: epsilon.refresh,

    authStatus() {
      const lastCollectionUtc = settings.get('epsilon.lastRefresh')
      const isAuthenticated = account.isSignedIn()
      const hasEnd = isAuthenticated && lastCollectionUtc !== null
      const endMs = Date.parse(lastCollectionUtc ?? '') + tokenDays * 86_400_000
      return {
        isAuthenticated,
        displayName: account.displayName(),
        lastCollectionUtc,
        gamesDiscovered: store.stats().totalGames,
        expiresAtUtc: hasEnd ? new Date(endMs).toISOString() : null,
        loginInProgress: epsilon.login() !== null,
      }
    },

    /**
     * Supersedes a sign-in that waits, and any refresh: the sign-in collects everything itself.
     * Throws `unavailable`.
     */
    async startLogin() {
      let code: DeviceCode
      try {
        code = await tokens.deviceCode()
      } catch (error) {
        if (error instanceof OutsideError) throw unavailable(error.message, 30)
        if (error instanceof EpsilonRefusal) throw unavailable('Microsoft gave no code', 30)
        throw error
      }
      jobs.cancel()
      return {
        userCode: code.user_code,
        verificationUri: code.verification_uri,
        expiresIn: Math.round(code.expires_in),
        interval: Math.round(code.interval),
        operationId: epsilon.followLogin(code),
      }
    },

    /** Stops only a sign-in that waits for approval. */
    cancelLogin() {
      if (epsilon.login()?.isWaiting !== true) return { message: 'No sign-in was waiting' }
      jobs.cancel()
      return { message: 'The sign-in was cancelled' }
    },

    logout() {
      jobs.cancel()
      const wasSignedIn = account.forget()
      if (wasSignedIn) log.info('signed out of Xbox')
      schedules.changed()
      return { message: wasSignedIn ? 'Signed out of Xbox' : 'No Xbox account was signed in' }
    },
  }
}

export type EpsilonService = ReturnType<typeof epsilonService>
