import type { OperationView } from '../../core/operations/contract.ts'
import { isWithoutHistory } from '../../core/operations/run.ts'
import type { SystemParts } from '../parts.ts'
import type { StatusCheckResult } from '../status-check/model.ts'
import type { Conditions, Notice } from './conditions.ts'
import type { NoticeTexts } from './texts.ts'

type Parts = Pick<SystemParts, 'cache' | 'history' | 'log' | 'operations' | 'settings'>

interface Sink {
  conditions: Conditions
  raise: (notice: Notice) => void
  isWanted: () => boolean
  texts: NoticeTexts
  lastCheck: () => StatusCheckResult | null
  /** Whether a notification about the database speaks for the jobs that failed without it. */
  isOutageNotified: () => boolean
}

/** What the current corruption scans have found. */
async function findings(
  cache: SystemParts['cache'],
  { conditions, texts }: Pick<Sink, 'conditions' | 'texts'>,
): Promise<void> {
  for (const { method, isCurrent, counts } of await cache.corruption.scans()) {
    if (!isCurrent) continue
    const services = Object.entries(counts).filter(([, files]) => files > 0)
    const total = services.reduce((sum, [, files]) => sum + files, 0)
    const key = `corruption ${method}`
    if (total === 0) {
      conditions.isOver(key)
      continue
    }
    const what = method === 'structural' ? 'corruptedFiles' : 'missedSlices'
    conditions.holds(key, String(total), {
      kind: 'corruptionFound',
      isProblem: true,
      title: texts.say(what, { count: total }),
      text: services.map(([service, files]) => `${service}: ${files}`).join('\n'),
    })
  }
}

/** Services that never led to the cache are no news: only those that did at the last check. */
function compareDns(
  result: StatusCheckResult | null,
  { conditions, texts }: Pick<Sink, 'conditions' | 'texts'>,
): void {
  if (result === null) return
  const { heartbeat, services } = result
  const leading = services
    .filter(({ status }) => heartbeat.reachable && status === 'resolved')
    .map(({ service }) => service)
  const key = 'dns services'
  const before = JSON.parse(conditions.known(key) ?? '[]') as string[] // written below
  const lost = before.filter((service) => !leading.includes(service))
  if (lost.length === 0) return conditions.note(key, JSON.stringify(leading))
  // Where the address of the cache is known from DNS alone, it is not known without DNS.
  const isSilent = !heartbeat.reachable && heartbeat.cacheIp !== null
  conditions.holds(key, JSON.stringify(leading), {
    kind: 'dnsBroken',
    isProblem: true,
    title: texts.say(isSilent ? 'cacheSilent' : 'dnsBroken'),
    text: isSilent ? '' : lost.join(', '),
  })
}

const keyOf = ({ type, scope }: OperationView) => `job ${type} ${scope}`

/** Kind of the conditions with the ids of failed jobs for which an outage may speak. */
const waiting = 'withoutDatabase'

/**
 * Notifies about jobs that have ended, and about what scans have found. Jobs that failed because the
 * database was away wait for what is returned, which is called after each check of the service.
 */
export function watchJobs(parts: Parts, sink: Sink): () => void {
  const { cache, history, log, operations, settings } = parts
  const { conditions, raise, isOutageNotified, isWanted, lastCheck, texts } = sink
  const rules = () => settings.get('notifications.rules')
  let ended = new Set<string>()

  function failed(job: OperationView): void {
    const { type, error } = job
    const { failedJobs } = rules()
    if (failedJobs !== null && !failedJobs.includes(type)) return
    const text = texts.failure(job)
    const title = texts.say('jobFailed', { name: texts.job(job) })
    const notice = { kind: 'jobFailed', isProblem: true, title, text } as const
    // A job of the clock fails again and again: once for each reason is enough.
    conditions.holds(keyOf(job), error ?? '', notice)
  }

  function finished(job: OperationView): void {
    const { type, isSilent } = job
    conditions.isOver(keyOf(job))
    const { corruption, dns, finishedJobs } = rules()
    if (type === 'corruptionDetection' && corruption) {
      const read = findings(cache, sink)
      read.catch((error: unknown) => log.debug({ err: error }, 'findings were not read'))
    }
    if (type === 'statusCheck' && dns) compareDns(lastCheck(), sink)
    if (isSilent || !finishedJobs.includes(type)) return
    const title = texts.say('jobFinished', { name: texts.job(job) })
    raise({ kind: 'jobFinished', isProblem: false, title, text: texts.outcome(job) })
  }

  function notify(jobs: readonly OperationView[]): void {
    if (jobs.length === 0 || !isWanted()) return
    try {
      for (const job of jobs) {
        const waits = job.status === 'failed' && isWithoutHistory(job) && rules().service
        if (waits) conditions.note(`${waiting} ${keyOf(job)}`, job.id)
        else if (job.status === 'failed') failed(job)
        else finished(job)
      }
    } catch (error) {
      // The registry calls this in the middle of its work.
      log.error({ err: error }, 'a notification about a job could not be stored')
    }
  }

  operations.onInterrupted((jobs) => {
    // Silent runs come again by themselves.
    const shown = jobs.filter(({ isSilent, status }) => !isSilent && status === 'failed')
    notify(shown.map((job) => ({ ...job, error: texts.say('jobInterrupted') })))
  })
  operations.onChange(() => {
    const over = operations
      .list()
      .filter(({ status }) => status === 'completed' || status === 'failed')
    const fresh = over.filter(({ id }) => !ended.has(id))
    ended = new Set(over.map(({ id }) => id))
    notify(fresh)
  })

  return () => {
    const isNotified = isOutageNotified()
    if (!isNotified && history.status().state !== 'ready') return
    for (const [key, id] of conditions.ofKind(waiting)) {
      const job = operations.find(id)
      if (!isNotified && job !== null) failed(job)
      conditions.isOver(key)
    }
  }
}
