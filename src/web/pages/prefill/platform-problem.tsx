import { StateLine } from '../../components/setting.tsx'
import { t, type Key } from '../../locales/translate.ts'
import type { PlatformState } from './queries.ts'

/** What the service says of a platform, by its key. */
const problemTexts: Readonly<Record<string, Key>> = {
  busy: 'prefill.problemBusy',
  unreachable: 'prefill.problemUnreachable',
  refused: 'prefill.problemRefused',
  denied: 'prefill.problemDenied',
  secret: 'prefill.problemSecret',
  silent: 'prefill.problemSilent',
  unknown: 'prefill.problemUnknown',
  noRuntime: 'prefill.problemNoRuntime',
}

interface PlatformProblemProps {
  state: PlatformState
  className: string
}

/** Why a platform cannot prefill now, and what to do about it. */
export function PlatformProblem({ state: { problem }, className }: PlatformProblemProps) {
  if (problem === null) return null
  const { key, text, values } = problem
  const known = problemTexts[key]
  return (
    <span className={className}>
      <StateLine tone="attention">{known === undefined ? text : t(known, values)}</StateLine>
    </span>
  )
}
