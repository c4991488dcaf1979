import type { IndexState } from '../../api/cache-queries.ts'
import { countText } from '../../format/numbers.ts'
import { known, t } from '../../locales/translate.ts'

/** Problems that can be confirmed as intended. */
const doubtful: ReadonlySet<string> = new Set(['collapsed', 'empty'])

type Problem = Pick<IndexState, 'problem' | 'problemKey' | 'problemContext'>

/** Whether the problem can be confirmed as intended: an empty tree or one that lost most files. */
export const isDoubtful = ({ problemKey }: Problem): boolean =>
  problemKey !== null && doubtful.has(problemKey)

/** Why the last index walk failed, if known, else the server's message; null when it succeeded. */
export function problemText({ problem, problemKey, problemContext }: Problem): string | null {
  const key = known(`index.problem.${problemKey}`)
  if (problem === null || key === null) return problem
  const values = Object.fromEntries(
    Object.entries(problemContext ?? {}).map(([name, value]) => [
      name,
      typeof value === 'number' ? countText(value) : value,
    ]),
  )
  const text = t(key, values)
  const { more } = values
  return more === undefined ? text : t('index.problemMore', { told: text, count: more })
}
