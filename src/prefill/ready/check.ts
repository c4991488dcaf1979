/*
 * A check asks which games are current: a version per game, no list of contents. Sizes are
 * calculated for games that are not current, once per build. A session that has a run is not asked.
 * What a session cannot judge is asked of the platform's next one; what none can judge keeps its last
 * verdict.
 */
import type { OperationContext } from '../../core/operations/contract.ts'
import type { PrefillParts } from '../parts.ts'
import { platforms, type Platform } from '../../platforms/platforms.ts'
import { failureText } from '../sessions/refusals.ts'
import type { SessionService } from '../sessions/service.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { LiveSession } from '../sessions/state.ts'
import type { ReadyRow, ReadyStore } from './store.ts'

/** Games of one question; the next one waits. */
const gamesPerCall = 25
const pauseMs = 2000
/** Sizes of one platform that one check calculates: each may be a list of contents. */
const sizesMax = 25
/** How daemons say that a size is not known for now. */
const failedSize = /^Failed to calculate size: /
const unsupportedText = 'The game does not exist for the chosen operating systems'

interface Features {
  sessions: Sessions
  service: SessionService
  store: ReadyStore
}

const idsOf = (rows: readonly ReadyRow[]) => rows.map(({ appId }) => appId)

function inSlices<T>(list: readonly T[], size: number): T[][] {
  const count = Math.ceil(list.length / size)
  return Array.from({ length: count }, (_, index) => list.slice(index * size, (index + 1) * size))
}

/** A daemon's verdicts by app; games that it cannot judge are missing. */
interface Verdicts {
  isCurrent: Map<string, boolean>
  /** Why games are missing. */
  reason: string | null
}

const isUnavailable = ({ unavailable }: ReadyRow): boolean => unavailable !== null

const needsSize = (row: ReadyRow): boolean =>
  row.isCurrent !== null && (row.totalBytes === null || isUnavailable(row))

/** Asks the daemons which games are current, and for sizes. */
export class ReadyCheck {
  readonly #parts: PrefillParts
  readonly #features: Features

  constructor(parts: PrefillParts, features: Features) {
    this.#parts = parts
    this.#features = features
  }

  /** Checks the games of these platforms. Does not reject. */
  async run({ signal }: Pick<OperationContext, 'signal'>, which = platforms): Promise<void> {
    for (const platform of which) {
      const hasGames = this.#features.store.of(platform).length > 0
      if (hasGames && !signal.aborted) await this.#platform(platform, signal)
    }
  }

  async #platform(platform: Platform, signal: AbortSignal): Promise<void> {
    const { sessions, store } = this.#features
    let left = store.of(platform)
    let text = ''
    const idle = sessions.persistentsOf(platform).filter(({ run }) => run === null)
    for (const session of idle) {
      if (left.length === 0 || signal.aborted) break
      const asked = await this.#versions(session, left, signal)
      const open = new Set(asked.left.map(({ appId }) => appId))
      const judged = new Set(left.map(({ appId }) => appId).filter((appId) => !open.has(appId)))
      const rows = store.of(platform).filter((row) => judged.has(row.appId) && needsSize(row))
      if (rows.length > 0 && session.run === null && !signal.aborted) {
        // What was not available before is asked for again last.
        const wanted = rows.toSorted((a, b) => Number(isUnavailable(a)) - Number(isUnavailable(b)))
        await this.#sizes(session, wanted.slice(0, sizesMax))
      }
      ;({ left, text } = asked)
    }
    if (idle.length === 0 || signal.aborted) return
    for (const row of left) store.note(row, { problem: text })
  }

  /** Asks one session; returns the games that it could not judge, with the reason. */
  async #versions(session: LiveSession, rows: readonly ReadyRow[], signal: AbortSignal) {
    const left: ReadyRow[] = []
    let text: string | null = null
    for (const [index, slice] of inSlices(rows, gamesPerCall).entries()) {
      if (index > 0) await this.#pause(signal)
      if (signal.aborted || session.run !== null) break
      try {
        const { isCurrent, reason } = await this.#ask(session, slice)
        for (const row of slice) {
          const verdict = isCurrent.get(row.appId)
          if (verdict === undefined) left.push(row)
          else this.#noteVersion(row, verdict)
        }
        text ??= reason
      } catch (error) {
        left.push(...slice)
        text = failureText(error)
      }
    }
    return { left, text: text ?? 'The platform gave no answer about this game' }
  }

  #pause(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#parts.timers.after(pauseMs, resolve)
    const end = () => {
      cancel()
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
    return promise.finally(() => signal.removeEventListener('abort', end))
  }

  async #ask(session: LiveSession, rows: readonly ReadyRow[]): Promise<Verdicts> {
    const { sessions, service } = this.#features
    const ids = idsOf(rows)
    const isCurrent = new Map<string, boolean>()
    // Steam's daemons compare depots: nothing was ever prefilled of a game without.
    const comparable = new Set(
      session.platform === 'alpha'
        ? sessions.stores.depots.ofApps(ids).map(({ appId }) => appId)
        : ids,
    )
    for (const appId of ids) if (!comparable.has(appId)) isCurrent.set(appId, false)
    if (comparable.size === 0) return { isCurrent, reason: null }
    const answer = await service.cacheStatus(session, [...comparable])
    for (const appId of answer.upToDateAppIds) isCurrent.set(appId, true)
    for (const appId of answer.outdatedAppIds) isCurrent.set(appId, false)
    return { isCurrent, reason: session.isLarders ? answer.message : null }
  }

  #noteVersion(row: ReadyRow, isCurrent: boolean): void {
    const now = this.#parts.clock.now()
    const isNew = row.isCurrent === true && !isCurrent
    this.#features.store.note(row, {
      isCurrent,
      checkedAt: now,
      problem: null,
      newBuildAt: isCurrent ? null : isNew ? now : row.newBuildAt,
      ...(isNew && { totalBytes: null }),
      ...(isCurrent && { unavailable: null }),
    })
  }

  async #sizes(session: LiveSession, rows: readonly ReadyRow[]): Promise<void> {
    const { store, service } = this.#features
    const { platform } = session
    const { operatingSystems } = this.#parts.settings.get('prefill.schedule')[platform]
    const systems = operatingSystems.map((name) => name.toLowerCase())
    try {
      const apps = (await service.sizes(session, idsOf(rows), systems)) ?? []
      for (const { appId, ...app } of apps) {
        const { downloadSize, isUnsupportedOs, unavailableReason: reason } = app
        if (failedSize.test(reason ?? '')) store.note({ platform, appId }, { problem: reason })
        else {
          const unavailable = reason ?? (isUnsupportedOs ? unsupportedText : null)
          const totalBytes = downloadSize > 0 ? downloadSize : null
          store.note({ platform, appId }, { totalBytes, unavailable })
        }
      }
    } catch (error) {
      for (const row of rows) store.note(row, { problem: failureText(error) })
    }
  }
}
