import type { SystemParts } from '../parts.ts'
import { isInContainer, type Inspection } from '../../cache/contract.ts'
import type { SourceProblem } from '../../engines/logs/wire.ts'
import type { Check, Checklist } from './model.ts'
import { createRemedies, type Remedies } from './remedies.ts'

type Deps = Pick<SystemParts, 'config' | 'datasources' | 'history' | 'logs'>

const empty = {
  datasource: null,
  path: null,
  detail: null,
  entries: [],
  lines: 0,
  understood: 0,
  format: null,
}
const good = { ...empty, problem: 'none', state: 'good', remedy: null } as const

const logProblems = {
  none: 'none',
  missing_directory: 'missing',
  permission_denied: 'denied',
  no_sources: 'noLog',
  unreadable_file: 'unreadable',
  too_many_files: 'none',
} as const satisfies Record<SourceProblem, string>

function logCheck({ name, logPath, log, away }: Inspection, remedies: Remedies): Check {
  const problem = log === null ? 'unresponsive' : logProblems[log.problem]
  const path = log?.file ?? logPath
  const remedy = {
    none: null,
    missing: remedies.mountLog(logPath),
    denied: remedies.owner(path),
    noLog: remedies.list(logPath),
    unreadable: remedies.list(logPath),
    unresponsive: remedies.mount(logPath),
  }[problem]
  // A new cache has no log before its first download.
  const state = problem === 'none' ? 'good' : problem === 'noLog' ? 'attention' : 'bad'
  const detail = problem === 'noLog' || problem === 'unreadable' ? (log?.message ?? null) : null
  const entries = problem === 'noLog' ? (log?.entries ?? []) : []
  const about = { ...good, part: 'log', datasource: name, path, problem, state } as const
  if (away !== null) return { ...about, detail: away }
  return { ...about, detail, entries, remedy }
}

/** From this share on, lines that are not understood need no attention. */
const understoodMin = 0.9

function linesCheck({ name, log }: Inspection, remedies: Remedies): Check[] {
  if (log?.file == null || log.problem !== 'none') return []
  const { file: path, lines, understood, format, strange: detail } = log
  const about = { ...good, part: 'lines', datasource: name, path, lines, understood } as const
  if (lines === 0) {
    const remedy = remedies.follow(path)
    return [{ ...about, problem: 'empty', state: 'attention', remedy }]
  }
  if (understood >= lines * understoodMin) return [{ ...about, format }]
  const isPartly = understood > 0
  const problem = isPartly ? 'partly' : 'unknown'
  const state = isPartly ? 'attention' : 'bad'
  return [{ ...about, format, problem, state, detail, remedy: remedies.logFormat }]
}

function cacheChecks({ name, cachePath, cache, away }: Inspection, remedies: Remedies): Check[] {
  // The log's line says it.
  if (away !== null) return []
  const about = { ...good, datasource: name, path: cachePath } as const
  const readBad = { ...about, part: 'cacheRead', state: 'bad' } as const
  if (cache === null) {
    return [{ ...readBad, problem: 'unresponsive', remedy: remedies.mount(cachePath) }]
  }
  if (cache.problem === 'missing') {
    return [{ ...readBad, problem: 'missing', remedy: remedies.mountCache(cachePath) }]
  }
  const path = cache.refused ?? cachePath
  if (cache.problem === 'unreadable' || cache.refused !== null) {
    return [{ ...readBad, path, problem: 'denied', remedy: remedies.owner(path) }]
  }
  const read = { ...about, part: 'cacheRead' } as const
  const write = { ...about, part: 'cacheWrite' } as const
  if (cache.write === 'granted') return [read, write]
  const [problem, remedy] =
    cache.write === 'readOnly'
      ? (['readOnly', remedies.mountWritable(cachePath)] as const)
      : (['denied', remedies.owner(cachePath)] as const)
  return [read, { ...write, problem, state: 'attention', remedy }]
}

function databaseCheck({ history, logs }: Deps, remedies: Remedies): Check {
  const { state, message: detail } = history.status()
  const about = { ...good, part: 'database', detail, remedy: remedies.database } as const
  if (state === 'unavailable' || state === 'stopped') {
    return { ...about, problem: 'away', state: 'bad' }
  }
  if (state !== 'ready') return { ...about, problem: 'starting', state: 'attention' }
  const ingest = logs.status()
  if (ingest.state !== 'mismatch') return { ...about, problem: 'none', remedy: null }
  const { message } = ingest
  return { ...about, problem: 'mismatch', state: 'attention', detail: message, remedy: null }
}

/** `hot.sqlite`: without it no choice can be stored. */
function positionsCheck({ logs, config }: Deps, remedies: Remedies): Check[] {
  const { state, message: detail } = logs.status()
  if (!state.startsWith('storage_')) return []
  const about = { ...good, part: 'positions', path: config.dataPath, detail } as const
  return [{ ...about, problem: 'failed', state: 'bad', remedy: remedies.dataFolder }]
}

/** Without a log there is nothing to read, so one that cannot be read comes first. */
const logFirst = (checks: Check[]): Check[] =>
  checks.toSorted((one, other) => Number(isLogBad(other)) - Number(isLogBad(one)))
const isLogBad = ({ part, state }: Check) => part === 'log' && state === 'bad'

/** Tries everything that Larder needs, now. Takes a few seconds where a disk does not answer. */
export async function setupChecklist(deps: Deps): Promise<Checklist> {
  const isContained = isInContainer()
  const remedies = createRemedies(deps.config, isContained)
  const sources = await deps.datasources.inspect()
  const missing = { ...good, part: 'datasource', problem: 'notConfigured', state: 'bad' } as const
  return {
    ingestState: deps.logs.status().state,
    isInContainer: isContained,
    checks: logFirst([
      ...(sources.length === 0 ? [{ ...missing, remedy: remedies.datasource }] : []),
      ...sources.flatMap((source) => [
        logCheck(source, remedies),
        ...linesCheck(source, remedies),
        ...cacheChecks(source, remedies),
      ]),
      databaseCheck(deps, remedies),
      ...positionsCheck(deps, remedies),
    ]),
  }
}
