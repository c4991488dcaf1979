import { AppError, operationConflict, unavailable } from '../../core/http/errors.ts'
import type { OperationResult } from '../../core/operations/contract.ts'
import { authorizationUrl, BetaRefusal } from '../../engines/beta-connection/web.ts'
import { intervalHoursOf } from '../interval-hours.ts'
import { serviceKeyOf } from '../library-names.ts'
import type { Page } from '../mapping-list-model.ts'
import type { CatalogueParts } from '../parts.ts'
import { searchText } from '../search-text.ts'
import type { Beta } from './create.ts'
import type { BetaGameMapping, BetaSchedule } from './model.ts'
import type { BetaGame, BetaStore } from './store.ts'

/** A sign-in is answered after this at the latest; collecting a large library goes on. */
const answerWithinMs = 240_000

const wire = (game: BetaGame): BetaGameMapping => ({
  appId: game.appId,
  name: game.name,
  discoveredAtUtc: game.discoveredAt.toISOString(),
  lastSeenAtUtc: game.lastSeenAt.toISOString(),
  source: game.source,
  imageUrl: game.imageUrl,
})

/** What the endpoints of the Epic mappings do. */
export function betaService(deps: CatalogueParts, beta: Beta) {
  const { config, log, settings } = deps
  const { account, jobs, store } = beta
  return {
    ...listing(store),
    ...timing(deps, beta),
    refresh: beta.refresh,

    authStatus: () => ({
      isAuthenticated: account.isSignedIn(),
      displayName: account.displayName(),
      lastCollectionUtc: settings.get('beta.lastRefresh'),
      gamesDiscovered: store.discovered(),
    }),

    startLogin: () => ({ authorizationUrl: authorizationUrl(config.beta) }),

    /** Throws `invalid` for a refused code, `conflict` during another run, `unavailable`. */
    async completeLogin(text: string) {
      const code = text.trim()
      if (code === '') throw new AppError('invalid', 'The authorization code is missing')
      const active = jobs.active()
      if (active !== null) {
        throw operationConflict('Names from Epic Games are already being refreshed', active)
      }
      let refusal: BetaRefusal | null = null
      const failed = (error: unknown) => {
        if (error instanceof BetaRefusal) refusal = error
      }
      const { done } = beta.begin({ login: code, failed }, false)
      const late = Promise.withResolvers<null>()
      const stopTimer = deps.timers.after(answerWithinMs, () => late.resolve(null))
      const result = await Promise.race([done, late.promise])
      stopTimer()
      if (result?.kind === 'failed') throw refusal ? refused(refusal) : unavailable(result.error)
      return {
        message: messageOf(result, account.isSignedIn()),
        displayName: account.displayName(),
        gamesDiscovered: store.discovered(),
      }
    },

    logout() {
      jobs.cancel()
      store.keepEtag('assets', null)
      const wasSignedIn = account.forget()
      if (wasSignedIn) log.info('signed out of Epic Games')
      const message = wasSignedIn ? 'Signed out of Epic Games' : 'No Epic account was signed in'
      return { message }
    },
  }
}

/** Null: the job has not ended yet. */
function messageOf(result: OperationResult | null, isSignedIn: boolean): string {
  if (result?.kind === 'cancelled') return 'Cancelled'
  if (result !== null) return 'Signed in'
  return isSignedIn ? 'Signed in; games are being collected' : 'The sign-in waits for another job'
}

const listing = (store: BetaStore) => ({
  list: (page: Page) => store.list(page).map(wire),
  search: (q: string) => store.search(searchText(q)).map(wire),
  stats: () => store.stats(),
})

/** The scheduled refresh. */
function timing({ schedules, settings }: CatalogueParts, { account, jobs, phase }: Beta) {
  return {
    schedule(): BetaSchedule {
      const active = jobs.active()
      const lastRefreshTime = settings.get('beta.lastRefresh')
      const nextMs = lastRefreshTime === null ? null : schedules.nextRunMs(serviceKeyOf('beta'))
      return {
        refreshIntervalHours: settings.get('beta.intervalHours'),
        isProcessing: active !== null,
        lastRefreshTime,
        nextRefreshIn: Math.round((nextMs ?? 0) / 1000),
        isAuthenticated: account.isSignedIn(),
        operationId: active?.id ?? null,
        status: phase(),
        progressPercent: active?.percentComplete ?? 0,
        statusMessage: active?.name ?? null,
        showNotification: active !== null && !active.isSilent,
      }
    },

    /** Throws `invalid`. */
    setInterval(value: unknown) {
      const intervalHours = intervalHoursOf(value)
      settings.set('beta.intervalHours', intervalHours)
      const isOff = intervalHours === 0
      const message = isOff ? 'No refresh starts by itself' : `Refreshed every ${intervalHours} h`
      return { intervalHours, message }
    },

    /** Throws `notFound` when none runs. */
    cancelRefresh() {
      if (jobs.cancel() === null) throw new AppError('notFound', 'No refresh is running')
      return { cancelled: true, message: 'The refresh is being cancelled' }
    },
  }
}

function refused({ reason }: BetaRefusal): AppError {
  if (reason.includes('corrective_action_required')) {
    const text = 'Epic Games wants something from this account first: sign in on its website'
    return new AppError('invalid', text)
  }
  const text = 'Epic Games did not accept this code; open the link again and copy a new one'
  return new AppError('invalid', text)
}

export type BetaService = ReturnType<typeof betaService>
