import { AppError } from '../../../http/errors.ts'
import { listDownloads } from '../downloads/store.ts'
import { shownSpeeds } from '../exclusions/speeds.ts'
import { activeSince } from '../reports/active.ts'
import type { Focus } from '../reports/focus.ts'
import { utc } from '../reports/numbers.ts'
import { allTime } from '../reports/range.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import { aboutOf, focusFor, type Question } from './about.ts'
import { answerOf, type Answer, type Parts } from './answers.ts'
import { numberNames, numberRules, type NumberName, type NumberRule } from './catalogue.ts'
import * as examples from './examples.ts'
import { excludedDownloads } from './excluded.ts'
import type { ExampleRow, Explanation } from './model.ts'

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

interface Rows {
  answer: Answer
  scope: Scope
  focus: Focus | null
}

/** Downloads in a figure, newest first: of one thing, or of all. */
function listedOf(reports: Reports, scope: Scope, since: number, focus: Focus | null) {
  const options = { limit: examples.examplesMax, activeSince: since }
  return reports.read(async (sql) =>
    focus === null
      ? (await listDownloads(sql, scope, options)).map(examples.ofDownload)
      : examples.newestExamples(sql, scope, { focus, activeSince: since }),
  )
}

async function rowsOf(
  { deps, reports, stats }: Parts,
  rule: NumberRule,
  { answer, scope, focus }: Rows,
): Promise<ExampleRow[]> {
  const since = activeSince(deps.clock.now()).getTime() / 1000
  const limit = examples.examplesMax
  const shown = reports.shown(scope)
  const counted = rule.clients === 'counted' ? reports.counted(scope) : shown
  // What lists do not show cannot be opened either, though sums count it.
  const listed = { ...shown, without: counted.without }
  if (rule.rows === 'downloads') {
    return answer.downloads ?? listedOf(reports, listed, since, focus)
  }
  if (rule.rows === 'active') {
    return reports.read((sql) => examples.activeExamples(sql, listed, since))
  }
  if (rule.rows === 'clients') {
    if (answer.clients !== undefined) return answer.clients
    const { rows } = await stats.clients(scope, { limit, hasNames: false })
    return rows.map(examples.ofClient)
  }
  if (rule.rows === 'games') return answer.games ?? []
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
    const about = aboutOf(number, question)
    await reports.checkEvent(question.scope.eventId)
    const asked = question.scope
    const scope = rule.range === 'asked' ? asked : { ...asked, period: allTime, eventId: null }
    // The whole question, as the page asks it; refuses what there is no page about.
    const answer = await answerOf(parts, number, { about, scope: asked })
    const focus = await focusFor(reports, about)
    const [excluded, rows] = await Promise.all([
      rule.range === 'now'
        ? []
        : excludedDownloads(deps, reports, {
            scope,
            focus,
            isCounted: rule.clients === 'counted',
            isGuest: question.caller.role === 'guest',
          }),
      rowsOf(parts, rule, { answer, scope, focus }),
    ])
    const { start, end } = scope.period
    return {
      number,
      value: member(answer.value, number.split('.').slice(1)),
      unit: rule.unit,
      formula: rule.formula,
      source: rule.source,
      range: {
        kind: rule.range,
        startTimeUtc: start === null ? null : utc(start),
        endTimeUtc: end === null ? null : utc(end),
        eventId: scope.eventId,
      },
      excluded,
      rows,
    }
  }
