import type { Deps } from '../../../deps.ts'
import { isAccountHolder, type Caller } from '../../../http/access.ts'
import { AppError } from '../../../http/errors.ts'
import { cacheInfo } from '../../cache/info/service.ts'
import type { Downloads } from '../downloads/service.ts'
import { listDownloads } from '../downloads/store.ts'
import { shownSpeeds } from '../exclusions/speeds.ts'
import { clientReport } from '../games/share-reports.ts'
import { activeSince } from '../reports/active.ts'
import { utc } from '../reports/numbers.ts'
import { allTime } from '../reports/range.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import type { Stats } from '../stats/service.ts'
import { numberNames, numberRules, type NumberName, type NumberRule } from './catalogue.ts'
import * as examples from './examples.ts'
import { excludedDownloads } from './excluded.ts'
import type { ExampleRow, Explanation } from './model.ts'

interface Parts {
  deps: Deps
  reports: Reports
  stats: Stats
  downloads: Downloads
}

interface Question {
  scope: Scope
  client: string | undefined
  caller: Caller
}

/** Throws `notFound` with the known names. */
function nameOf(text: string): NumberName {
  const name = numberNames.find((one) => one === text)
  if (name !== undefined) return name
  throw new AppError('notFound', 'There is no such number', { extra: { known: numberNames } })
}

/** The member of an answer that a name like `period.downloads` means. */
function member(answer: unknown, path: readonly string[]): number | string | null {
  const [first, ...rest] = path
  if (first === undefined) {
    return typeof answer === 'number' || typeof answer === 'string' ? answer : null
  }
  // Members are looked up by the names of the catalogue only.
  return member((answer as Record<string, unknown>)[first], rest)
}

const clientOf = ({ client, caller }: Question): string => {
  if (!isAccountHolder(caller)) throw new AppError('forbidden')
  if (client === undefined || client === '') {
    throw new AppError('invalid', 'A number of a client needs client=<address>')
  }
  return client
}

/** The answer of the endpoint that shows the number: the same code, so the same value. */
async function answerOf(parts: Parts, name: NumberName, question: Question): Promise<unknown> {
  const { deps, reports, stats, downloads } = parts
  const { scope } = question
  const [origin] = name.split('.')
  if (origin === 'dashboard') return stats.dashboard(scope)
  if (origin === 'cache') return cacheInfo(deps)
  if (origin === 'client') {
    const report = await clientReport({ deps, reports }, clientOf(question), {
      scope,
      hasNames: false,
    })
    return { ...report, ...report.totals }
  }
  if (origin === 'downloads') {
    return downloads.retro({
      StartTime: scope.period.start ?? undefined,
      EndTime: scope.period.end ?? undefined,
      EventId: scope.eventId ?? undefined,
      includePrefill: scope.includePrefill,
    })
  }
  const speeds = shownSpeeds(deps.state, deps.logs.speeds())
  const { totalBytesPerSecond, gameSpeeds, clientSpeeds } = speeds
  const [activeGames, activeClients] = [gameSpeeds.length, clientSpeeds.length]
  return { totalBytesPerSecond, activeGames, activeClients }
}

async function rowsOf(
  { deps, reports, stats }: Parts,
  rule: NumberRule,
  { scope, client }: { scope: Scope; client: string | null },
): Promise<ExampleRow[]> {
  const since = activeSince(deps.clock.now()).getTime() / 1000
  const limit = examples.examplesMax
  const listed = rule.clients === 'counted' ? reports.counted(scope) : reports.shown(scope)
  if (rule.rows === 'downloads' && client !== null) {
    const { includePrefill } = scope
    const asked = { client, includePrefill, since }
    return reports.read((sql) => examples.clientExamples(sql, asked))
  }
  if (rule.rows === 'downloads') {
    const options = { limit, activeSince: since }
    const found = await reports.read((sql) => listDownloads(sql, listed, options))
    return found.map(examples.ofDownload)
  }
  if (rule.rows === 'active') {
    return reports.read((sql) => examples.activeExamples(sql, listed, since))
  }
  if (rule.rows === 'clients') {
    const { rows } = await stats.clients(scope, { limit, hasNames: false })
    return rows.map(examples.ofClient)
  }
  if (rule.rows === 'services') {
    return (await stats.foldedServices(scope)).slice(0, limit).map(examples.ofService)
  }
  if (rule.rows === 'none') return []
  const { gameSpeeds } = shownSpeeds(deps.state, deps.logs.speeds())
  return gameSpeeds.slice(0, limit).map(examples.ofSpeed)
}

/** What a figure is, what it is made of and what is not in it. */
export const createExplain =
  (parts: Parts) =>
  async (text: string, question: Question): Promise<Explanation> => {
    const { deps, reports } = parts
    const number = nameOf(text)
    const rule: NumberRule = numberRules[number]
    const client = number.startsWith('client.') ? clientOf(question) : null
    await reports.checkEvent(question.scope.eventId)
    const asked = question.scope
    const scope = rule.range === 'asked' ? asked : { ...asked, period: allTime, eventId: null }
    const isFromHistory = rule.rows !== 'speeds' && rule.rows !== 'none'
    const [answer, excluded, rows] = await Promise.all([
      // The whole question, as the page asks it.
      answerOf(parts, number, question),
      isFromHistory && rule.range !== 'now'
        ? excludedDownloads(deps, reports, {
            scope,
            client,
            isCounted: rule.clients === 'counted',
            isGuest: question.caller.role === 'guest',
          })
        : [],
      rowsOf(parts, rule, { scope, client }),
    ])
    const { start, end } = scope.period
    return {
      number,
      value: member(answer, number.split('.').slice(1)),
      unit: rule.unit,
      formula: rule.formula,
      source: rule.source,
      range: {
        startTimeUtc: start === null ? null : utc(start),
        endTimeUtc: end === null ? null : utc(end),
        eventId: scope.eventId,
      },
      excluded,
      rows,
    }
  }
