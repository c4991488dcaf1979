import type { PrefillParts } from './parts.ts'
import type { Run } from './sessions/run.ts'
import type { RunJobs } from './sessions/run-jobs.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { LiveSession } from './sessions/state.ts'

/** A part whose runs an operation of its own shows. */
export interface RunOwner {
  /**
   * Goes on with a run that an earlier process started; false: it is of another part. Throws
   * OperationRefused.
   */
  takeUp(session: LiveSession, run: Run): boolean
  /** Called when it is known what goes on, before the operations of everything else end. */
  settle?(): void
}

interface Takers {
  sessions: Sessions
  owners: readonly RunOwner[]
  /** Runs that belong to no part. */
  runs: RunJobs
}

/** Finds who goes on with the runs of an earlier process, and ends the operations of the others. */
export function createTakeUp(
  { operations, log }: Pick<PrefillParts, 'operations' | 'log'>,
  { sessions, owners, runs }: Takers,
) {
  const found: [LiveSession, Run][] = []
  let isSettled = false

  function goOn(session: LiveSession, run: Run): void {
    try {
      if (!owners.some((owner) => owner.takeUp(session, run))) runs.takeUp(session, run)
    } catch (error) {
      // The run goes on without an operation.
      log.warn({ err: error, sessionId: session.id }, 'a run is not shown')
    }
  }

  return {
    start(): void {
      sessions.runs.onTakenUp((session, run) => {
        // The sessions of its other accounts are restored meanwhile.
        if (isSettled || run.schedule === null) goOn(session, run)
        else found.push([session, run])
      })
      void sessions.recovered.promise.then(() => {
        isSettled = true
        for (const [session, run] of found.splice(0)) goOn(session, run)
        for (const owner of owners) owner.settle?.()
        operations.endHeld()
      })
    },
  }
}
