import type { PrefillParts } from '../parts.ts'
import { reasons } from '../reasons.ts'
import { failureText } from './refusals.ts'
import { silentSeconds } from './run.ts'
import type { Sessions } from './sessions.ts'
import type { LiveSession } from './state.ts'

const checkMs = 10_000

/** Ends sessions that expired, runs without progress and logins that nobody goes on with. */
export function createWatch(parts: PrefillParts, sessions: Sessions) {
  const { clock, timers, log, config, users } = parts
  const { stallSeconds, abandonedLoginSeconds } = config.prefill
  let cancelCheck: (() => void) | null = null

  function reasonToEnd(session: LiveSession, now: Date): string | null {
    if (session.isPersistent) return null
    if (session.expiresAt <= now) return reasons.expired
    const endsAt = users.rightEndsAt(session.userId, session.platform)
    if (endsAt !== null && endsAt > now) return null
    if (session.isTemporary) return reasons.permissionEnded
    // Nobody can use it any more, but may count on a run that was started before.
    return session.run === null ? reasons.signedOut : null
  }

  /** Persistent sessions are exempt: schedules have a limit of their own. */
  async function checkStall(session: LiveSession): Promise<void> {
    if (session.isPersistent || silentSeconds(session, clock.elapsedMs()) < stallSeconds) return
    const errorMessage = `Prefill stalled: no bytes transferred for ${stallSeconds} seconds.`
    await sessions.runs.cancel(session, { state: 'failed', errorMessage })
    sessions.fail(session, errorMessage)
  }

  async function check(session: LiveSession): Promise<void> {
    const now = clock.now()
    const reason = reasonToEnd(session, now)
    if (reason !== null) {
      return sessions.end(session, { reason, by: 'system', isForced: false })
    }
    if (session.isPersistent && session.expiresAt <= now && !session.needsRelogin) {
      session.needsRelogin = true
      sessions.announcer.updated(session)
    }
    await checkStall(session)
    if (sessions.logins.isAbandoned(session, abandonedLoginSeconds)) {
      await sessions.logins.cancel(session)
    }
  }

  function checkAll(): void {
    cancelCheck = timers.after(checkMs, checkAll)
    for (const session of sessions.all()) {
      check(session).catch((error: unknown) => {
        log.warn({ sessionId: session.id, reason: failureText(error) }, 'session not checked')
      })
    }
  }

  return {
    start: () => void (cancelCheck ??= timers.after(checkMs, checkAll)),
    stop: () => cancelCheck?.(),
  }
}
