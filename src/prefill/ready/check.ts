/*
 * A check asks which games are current: a version per game, no list of contents. Sizes are
 * calculated for games that are not current, once per build. A session that has a run is not asked.
 * What is not current for a session is asked of the platform's next one; what none can judge keeps its
 * last verdict.
 */
import { inSlices } from '../../core/lib/in-slices.ts'
import type { OperationContext } from '../../core/operations/contract.ts'
import type { PrefillParts } from '../parts.ts'
import { waited } from '../../core/lib/timers.ts'
import { platforms, type Platform } from '../../platforms/platforms.ts'
import { failureText } from '../sessions/refusals.ts'
import type { SessionFeatures } from '../sessions/service.ts'
import type { LiveSession } from '../sessions/state.ts'
import type { ReadyRow, ReadyStore } from './store.ts'

/** Games of one question; the next one waits. */
const gamesPerCall = 25
const pauseMs = 2000
/** Sizes of one platform that one check calculates: each may be a list of contents. */
const sizesMax = 25
/** How daemons say that a size is not known for now. */
const failedSize = /^Failed to calculate size: /
const noAnswerText = 'The platform gave no answer about this game'
const unsupportedText = 'The game does not exist for the chosen operating systems'

interface Features extends SessionFeatures {
  store: Pick<ReadyStore, 'of' | 'note'>
}

const idsOf = (rows: readonly ReadyRow[]) => rows.map(({ appId }) => appId)

/** What the sessions of a platform say, by app. */
interface Verdicts {
  isCurrent: Map<string, boolean>
  /** Why apps cannot be judged. */
  problems: Map<string, string>
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
  async run(
    { signal }: Pick<OperationContext, 'signal'>,
    which: readonly Platform[] = platforms,
    { hasSizes = true } = {},
  ): Promise<void> {
    for (const platform of which) {
      const hasGames = this.#features.store.of(platform).length > 0
      if (hasGames && !signal.aborted) await this.#platform(platform, { signal, hasSizes })
    }
  }

  async #platform(
    platform: Platform,
    { signal, hasSizes }: { signal: AbortSignal; hasSizes: boolean },
  ): Promise<void> {
    const { sessions, store } = this.#features
    const idle = sessions
      .persistentsOf(platform)
      .filter(({ run, authState }) => run === null && authState === 'Authenticated')
    const isCurrent = new Map<string, boolean>()
    const problems = new Map<string, string>()
    for (const session of idle) {
      // What one account has downloaded is current, whatever others say.
      const open = store.of(platform).filter(({ appId }) => isCurrent.get(appId) !== true)
      await this.#versions(session, open, { isCurrent, problems, signal })
    }
    if (signal.aborted) return
    for (const row of store.of(platform)) {
      const [verdict, problem] = [isCurrent.get(row.appId), problems.get(row.appId)]
      if (verdict !== undefined) this.#noteVersion(row, verdict)
      else if (problem !== undefined) store.note(row, { problem })
    }
    if (!hasSizes) return
    for (const session of idle) {
      // What is not available to one account may be to the next one; it is asked for last.
      const rows = store
        .of(platform)
        .filter((row) => isCurrent.has(row.appId) && needsSize(row))
        .toSorted((a, b) => Number(isUnavailable(a)) - Number(isUnavailable(b)))
      if (rows.length === 0 || signal.aborted) break
      if (session.run === null) await this.#sizes(session, rows.slice(0, sizesMax))
    }
  }

  /** Adds what one session says. */
  async #versions(
    session: LiveSession,
    rows: readonly ReadyRow[],
    { isCurrent, problems, signal }: Verdicts & { signal: AbortSignal },
  ): Promise<void> {
    for (const [index, slice] of inSlices(idsOf(rows), gamesPerCall).entries()) {
      if (index > 0) await waited(this.#parts.timers, pauseMs, signal)
      if (signal.aborted || session.run !== null) break
      try {
        const { reason, ...answer } = await this.#ask(session, slice)
        for (const appId of slice) {
          const verdict = answer.isCurrent.get(appId)
          if (verdict === undefined) problems.set(appId, reason ?? noAnswerText)
          else isCurrent.set(appId, verdict)
        }
      } catch (error) {
        for (const appId of slice) problems.set(appId, failureText(error))
      }
    }
  }

  async #ask(session: LiveSession, ids: readonly string[]) {
    const { sessions, service } = this.#features
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
