import type { SetupCheck, SetupChecklist } from '../../api/queries.ts'
import type { Key, Values } from '../../locales/translate.ts'

type ProblemOf<P extends SetupCheck['part']> = `${P}.${Extract<SetupCheck, { part: P }>['problem']}`
type Problem = { [P in SetupCheck['part']]: ProblemOf<P> }[SetupCheck['part']]

/** Texts by part and problem; those that differ inside a container have two. */
const problems: Record<Problem, Key | readonly [inContainer: Key, onHost: Key]> = {
  'datasource.notConfigured': 'check.datasource.notConfigured',
  'log.none': 'check.log.none',
  'log.missing': ['check.log.missingInContainer', 'check.log.missing'],
  'log.denied': ['check.deniedInContainer', 'check.denied'],
  'log.noLog': 'check.log.noLog',
  'log.unreadable': 'check.log.unreadable',
  'log.unresponsive': 'check.unresponsive',
  'lines.none': 'check.lines.none',
  'lines.empty': 'check.lines.empty',
  'lines.partly': 'check.lines.partly',
  'lines.unknown': 'check.lines.unknown',
  'cacheRead.none': 'check.cacheRead.none',
  'cacheRead.missing': ['check.cacheRead.missingInContainer', 'check.cacheRead.missing'],
  'cacheRead.denied': ['check.deniedInContainer', 'check.denied'],
  'cacheRead.unresponsive': 'check.unresponsive',
  'cacheWrite.none': 'check.cacheWrite.none',
  'cacheWrite.readOnly': 'check.cacheWrite.readOnly',
  'cacheWrite.denied': ['check.cacheWrite.deniedInContainer', 'check.cacheWrite.denied'],
  'database.none': 'check.database.none',
  'database.starting': 'check.database.starting',
  'database.away': 'check.database.away',
  'database.mismatch': 'check.database.mismatch',
  'positions.failed': 'check.positions.failed',
}

export interface CheckText {
  title: Key
  text: Key
  values: Values
  /** Name of the log format, a value of the text. */
  format: Key | null
  /** In the server's words; null where the text says it. */
  detail: string | null
}

/** The texts of one line of the checklist. */
export function checkText(check: SetupCheck, isInContainer: boolean): CheckText {
  const { part, problem, path, lines, understood, format, entries, detail } = check
  // Part and problem of one check belong together.
  const found = problems[`${part}.${problem}` as Problem]
  const about = {
    title: `check.title.${part}` as const,
    values: { path: path ?? '', lines, understood, entries: entries.join(', ') },
    format: format === null ? null : (`check.format.${format}` as const),
  }
  if (problem === 'noLog') {
    const text = entries.length === 0 ? 'check.log.noLogEmpty' : 'check.log.noLog'
    return { ...about, text, detail: null }
  }
  return {
    ...about,
    text: typeof found === 'string' ? found : found[isInContainer ? 0 : 1],
    detail,
  }
}

/** States in which reading has begun already, so that there is nothing to choose. */
const begun = new Set(['reading', 'following', 'paused_outbox_full', 'mismatch'])

/** A log that cannot be read has to be put right before there is anything to count. */
export const waitsForLog = ({ checks }: SetupChecklist): boolean =>
  checks.some(({ part, state }) => part === 'log' && state === 'bad')

/** What the page asks: where to start, nothing, or nothing yet. */
export function questionOf({ checks, ingestState }: SetupChecklist): 'start' | 'none' | 'later' {
  if (begun.has(ingestState) || checks.some(({ part }) => part === 'datasource')) return 'none'
  return ingestState === 'awaiting_setup' ? 'start' : 'later'
}

/** While something starts, the checklist repeats itself. */
export const isStarting = ({ checks, ingestState }: SetupChecklist): boolean =>
  ingestState === 'starting' || checks.some(({ problem }) => problem === 'starting')
