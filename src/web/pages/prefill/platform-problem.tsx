import { StateLine } from '../../components/card.tsx'
import { known, t } from '../../locales/translate.ts'
import type { PlatformState } from './queries.ts'

interface PlatformProblemProps {
  state: PlatformState
  className: string
}

/** Why a platform cannot prefill now, and what to do about it. */
export function PlatformProblem({ state: { problem }, className }: PlatformProblemProps) {
  if (problem === null) return null
  const { key, text, values } = problem
  const own = known(`prefill.problem.${key}`)
  return (
    <span className={className}>
      <StateLine tone="attention">{own === null ? text : t(own, values)}</StateLine>
    </span>
  )
}
