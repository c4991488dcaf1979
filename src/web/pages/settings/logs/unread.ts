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
