import { AppError } from '../../core/http/errors.ts'
import type { Platform } from '../../platforms/platforms.ts'
import { failureText } from '../sessions/refusals.ts'
import type { StartedRun } from '../sessions/run-jobs.ts'
import type { Logins } from '../sessions/logins.ts'
import type { LiveSession } from '../sessions/state.ts'
import type { Logger } from '../../core/lib/log.ts'
import type { CleanupBody, CleanupService, EditIds } from './model.ts'
import { requirePlatform } from './persistent.ts'

/** Edit sessions that are remembered; the oldest is forgotten. */
const editsMax = 100
/** Actions of one edit session. */
const actionsMax = 500

export type ActionKind = 'start' | 'login' | 'credential' | 'selection' | 'prefill' | 'logout'

interface KnownAction {
  kind: ActionKind
  platform: Platform
  work: Promise<unknown>
  sessionId: string | null
}

/** What one edit session did, so that it can be undone. */
interface Edit {
  actions: Map<string, KnownAction>
  pending: Set<Promise<unknown>>
  cleanup: Promise<void> | null
  logins: Set<string>
  runs: Map<string, StartedRun>
}

interface Action<T> {
  kind: ActionKind
  platform: Platform
  /** The session that the action is about. */
  sessionId?: string
  run(): Promise<T>
  /** The session that the result is about, for starts. */
  sessionOf?(result: T): string
}

interface Parts {
  log: Logger
  logins: Logins
  find: (platform: Platform) => LiveSession | null
  isLive: (sessionId: string) => boolean
  /** Ends a session and signs its daemon out. */
  stop: (session: LiveSession) => Promise<void>
  select: (session: LiveSession, appIds: readonly string[]) => Promise<void>
}

const isMissing = (id: string | null | undefined): boolean =>
  id === null || id === undefined || id === ''

/**
 * The dashboard edits schedules in an edit session: it may start a session, sign in, select and
 * prefill. When it is abandoned, `cleanup` undoes what it did. An action that is repeated with the
 * same id is done once.
 */
export class EditSessions {
  readonly #parts: Parts
  readonly #edits = new Map<string, Edit>()
  /** Session -> the edit session that started it, or took it over from an earlier one. */
  readonly #starters = new Map<string, string>()
  readonly #starting = new Map<Platform, string>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  #editOf(id: string): Edit {
    const known = this.#edits.get(id)
    if (known !== undefined) return known
    const fresh: Edit = {
      actions: new Map(),
      pending: new Set(),
      cleanup: null,
      logins: new Set(),
      runs: new Map(),
    }
    this.#edits.set(id, fresh)
    const [oldest] = this.#edits.keys()
    if (this.#edits.size > editsMax && oldest !== undefined) this.#edits.delete(oldest)
    return fresh
  }

  /** Does an action, once per id of an edit session. Throws AppError. */
  async run<T>({ editSessionId, editActionId }: EditIds, action: Action<T>): Promise<T> {
    const hasNone = isMissing(editSessionId) && isMissing(editActionId)
    if (hasNone) return action.run()
    if (isMissing(editSessionId) || isMissing(editActionId)) {
      throw new AppError('invalid', 'editSessionId and editActionId is required')
    }
    // Checked above.
    const [id, actionId] = [String(editSessionId), String(editActionId)]
    const edit = this.#editOf(id)
    if (edit.cleanup !== null) {
      const text = 'This scheduled-prefill edit session is already being cleaned up.'
      throw new AppError('conflict', text)
    }
    const known = edit.actions.get(actionId)
    if (known === undefined) return this.#first(edit, { id, actionId }, action)
    if (known.kind !== action.kind || known.platform !== action.platform) {
      throw new AppError('conflict', 'This editActionId belongs to another action')
    }
    const result = await known.work
    const isOver = known.sessionId !== null && !this.#parts.isLive(known.sessionId)
    if (isOver) throw new AppError('conflict', 'The session of this action has ended')
    // Actions of one kind have results of one type.
    return result as T
  }

  async #first<T>(
    edit: Edit,
    { id, actionId }: { id: string; actionId: string },
    action: Action<T>,
  ): Promise<T> {
    if (edit.actions.size >= actionsMax) throw new AppError('conflict', 'Too many actions')
    const { platform, kind } = action
    const before = this.#parts.find(platform)
    if (kind === 'start') this.#starting.set(platform, id)
    if (kind === 'login' && before !== null && before.authState !== 'Authenticated') {
      edit.logins.add(before.id)
    }
    const work = action.run()
    const entry: KnownAction = { kind, platform, work, sessionId: action.sessionId ?? null }
    edit.actions.set(actionId, entry)
    edit.pending.add(work)
    try {
      const result = await work
      entry.sessionId = action.sessionOf?.(result) ?? entry.sessionId
      if (kind === 'start' && entry.sessionId !== null) this.#started(entry.sessionId, id, before)
      return result
    } catch (error) {
      // It may be tried again.
      edit.actions.delete(actionId)
      throw error
    } finally {
      edit.pending.delete(work)
      if (kind === 'start') this.#starting.delete(platform)
    }
  }

  /** A session that an earlier edit session started is taken over; others belong to nobody. */
  #started(sessionId: string, editId: string, before: LiveSession | null): void {
    const isNew = before?.id !== sessionId
    if (isNew || this.#starters.has(sessionId)) this.#starters.set(sessionId, editId)
  }

  noteRun({ editSessionId }: EditIds, session: LiveSession, run: StartedRun): void {
    if (!isMissing(editSessionId)) this.#editOf(String(editSessionId)).runs.set(session.id, run)
  }

  /** Undoes an edit session. Repeating it does nothing; a failed one can be tried again. */
  async cleanUp({ editSessionId, services }: CleanupBody): Promise<void> {
    const wanted = services.map((service) => ({
      ...service,
      platform: requirePlatform(service.service),
    }))
    if (new Set(wanted.map(({ platform }) => platform)).size < wanted.length) {
      throw new AppError('invalid', 'services: a service is listed twice')
    }
    for (const { platform } of wanted) {
      const other = this.#starting.get(platform)
      if (other !== undefined && other !== editSessionId) {
        throw new AppError('conflict', 'A later edit session is starting this service')
      }
    }
    const edit = this.#editOf(editSessionId)
    edit.cleanup ??= this.#undo(edit, editSessionId, wanted)
    try {
      await edit.cleanup
    } catch (error) {
      edit.cleanup = null
      throw error
    }
  }

  async #undo(
    edit: Edit,
    editId: string,
    services: (CleanupService & { platform: Platform })[],
  ): Promise<void> {
    await Promise.allSettled(edit.pending)
    for (const service of services) {
      const session = this.#parts.find(service.platform)
      if (session !== null) await this.#undoService(edit, { editId, session, service })
    }
  }

  async #undoService(
    edit: Edit,
    { editId, session, service }: { editId: string; session: LiveSession; service: CleanupService },
  ): Promise<void> {
    const { logins, log } = this.#parts
    const isStarter = this.#starters.get(session.id) === editId
    if (isStarter && service.startSessionId === session.id) {
      this.#starters.delete(session.id)
      return this.#parts.stop(session)
    }
    const run = edit.runs.get(session.id)
    if (service.prefillSessionId === session.id && run !== undefined) {
      run.cancel()
      await run.result
    }
    if (service.loginSessionId === session.id && edit.logins.has(session.id)) {
      if (session.login.isActive) await logins.cancel(session)
      else if (session.authState === 'Authenticated') await logins.logout(session)
    }
    const isBaseline = service.baselineSessionId === session.id
    if (!isBaseline || service.selectionSessionId !== session.id) return
    try {
      await this.#parts.select(session, service.baselineSelectedAppIds)
    } catch (error) {
      // A daemon that needs a sign-in has no selection to restore.
      if (session.authState === 'Authenticated') throw error
      log.info({ sessionId: session.id, reason: failureText(error) }, 'selection not restored')
    }
  }
}
