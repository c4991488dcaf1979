import { t, type Key } from '../../../locales/translate.ts'
import type { LogPositions } from './queries.ts'

type Counter =
  | 'unparsedLines'
  | 'hintlessHttpDetailedLines'
  | 'invalidEncodingLines'
  | 'skippedFallbackLines'
  | 'overlongLines'
  | 'impossibleTimeLines'
  | 'impossibleCountLines'
  | 'ignoredLines'
  | 'incompleteFinalRecords'

/** Why lines were not counted, most important first. */
const reasons: readonly (readonly [counter: Counter, label: Key])[] = [
  ['unparsedLines', 'logs.unparsed'],
  ['invalidEncodingLines', 'logs.encoding'],
  ['overlongLines', 'logs.overlong'],
  ['impossibleTimeLines', 'logs.impossibleTime'],
  ['impossibleCountLines', 'logs.impossibleCount'],
  ['hintlessHttpDetailedLines', 'logs.hintless'],
  ['skippedFallbackLines', 'logs.fallback'],
  ['ignoredLines', 'logs.ignored'],
  ['incompleteFinalRecords', 'logs.incomplete'],
]

export const unreadOf = (source: Pick<LogPositions, Counter>): { label: string; count: number }[] =>
  reasons.flatMap(([counter, label]) =>
    source[counter] > 0 ? [{ label: t(label), count: source[counter] }] : [],
  )

const problems: Readonly<
  Record<Exclude<LogPositions['problem'], 'none'>, { title: Key; remedy: Key }>
> = {
  missing_directory: { title: 'health.missingDirectory', remedy: 'remedy.missingDirectory' },
  permission_denied: { title: 'health.permissionDenied', remedy: 'remedy.permissionDenied' },
  no_sources: { title: 'health.noSources', remedy: 'remedy.noSources' },
  unreadable_file: { title: 'health.unreadableFile', remedy: 'remedy.unreadableFile' },
  too_many_files: { title: 'health.tooManyFiles', remedy: 'remedy.tooManyFiles' },
}

/** Why a folder is not read, with a remedy; null when it is. */
export function problemOf({
  problem,
  logPath,
}: Pick<LogPositions, 'problem' | 'logPath'>): { title: string; remedy: string } | null {
  if (problem === 'none') return null
  const { title, remedy } = problems[problem]
  return { title: t(title), remedy: t(remedy, { path: logPath }) }
}
