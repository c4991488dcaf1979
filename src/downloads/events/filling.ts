import { HistoryUnavailable } from '../../../db/history/history.ts'
import {
  OperationRefused,
  type OperationContext,
  type OperationResult,
} from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import type { DownloadsParts } from '../parts.ts'
import type { Reports } from '../reports/reports.ts'
import {
  dropOutside,
  markTagged,
  nextUntagged,
  tagSlice,
  type SliceEnd,
  type UntaggedEvent,
} from './fill-store.ts'

type FillingDeps = Pick<DownloadsParts, 'history' | 'operations' | 'clock' | 'hub' | 'log'>

interface Fill {
  read: Reports['read']
  now: Date
  context: OperationContext
  /** Told how many tags each slice changed. */
  changed: (tags: number) => void
}

/** Sets the tags of one event, slice by slice. False: it was cancelled. */
async function fill(event: UntaggedEvent, { read, now, context, changed }: Fill): Promise<boolean> {
  const { signal, report } = context
  for (let dropped = 1; dropped > 0 && !signal.aborted; changed(dropped)) {
    dropped = await read((sql) => dropOutside(sql, event))
  }
  const span = Math.max(1, Math.min(event.end, now.getTime() / 1000) - event.start)
  let isMore = true
  let after: SliceEnd = { at: event.start, id: 0 }
  while (isMore && !signal.aborted) {
    const { tagged, last } = await read((sql) => tagSlice(sql, event, { after, now }))
    changed(tagged)
    isMore = last !== null
    after = last ?? after
    if (isMore) report({ percentComplete: ((after.at - event.start) / span) * 100 })
  }
  if (signal.aborted) return false
  await read((sql) => markTagged(sql, event))
  return true
}

/**
 * Tags everything that began inside an event, also before it was made: in the background, for new
 * events, changed dates, and whatever an earlier run left over.
 */
export function createFilling(deps: FillingDeps, reports: Pick<Reports, 'read' | 'dropAll'>) {
  const { history, operations, clock, hub, log } = deps
  const { read } = reports
  let runs = 0

  async function run(context: OperationContext): Promise<OperationResult> {
    runs++
    let taggedCount = 0
    const changed = (tags: number) => void (taggedCount += tags)
    try {
      for (;;) {
        const event = await read(nextUntagged)
        if (event === null) return { kind: 'completed', fields: { taggedCount } }
        const isDone = await fill(event, { read, now: clock.now(), context, changed })
        if (!isDone) return { kind: 'cancelled' }
      }
    } catch (error) {
      if (!(error instanceof HistoryUnavailable)) throw error
      const rest = 'the remaining downloads are tagged when it is back'
      throw new HistoryUnavailable(`The history database is unavailable; ${rest}`)
    } finally {
      if (taggedCount > 0) {
        reports.dropAll()
        const timestamp = clock.now().toISOString()
        hub.publish('DownloadsRefresh', { source: 'auto-tag', taggedCount, timestamp })
      }
    }
  }

  function submit(): void {
    try {
      operations.submit({
        type: 'eventTagging',
        scope: 'bulk',
        // Asked while one runs: another one follows, because that one may be past the event.
        variant: String(runs),
        ...named('eventTagging'),
        run,
      })
    } catch (error) {
      if (!(error instanceof OperationRefused)) throw error
      log.warn({ err: error }, 'the tagging of events is postponed until the next start')
    }
  }

  /** Starts when there is an event whose tags are not those of its time. */
  async function check(): Promise<void> {
    try {
      if ((await read(nextUntagged)) !== null) submit()
    } catch (error) {
      if (!(error instanceof HistoryUnavailable))
        log.warn({ err: error }, 'could not check which events need tags')
    }
  }

  return {
    check,

    /** Whenever the history becomes ready: what was left over before. */
    start(): void {
      history.onStatus(({ state }) => {
        if (state === 'ready') void check()
      })
    },
  }
}

export type Filling = ReturnType<typeof createFilling>
