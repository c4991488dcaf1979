import { serviceName } from '../../../format/services.ts'
import { countText } from '../../../format/numbers.ts'
import { known, t, tn } from '../../../locales/translate.ts'
import type { Job } from '../../../app/use-jobs.ts'
import { rangeEnd, type Candidate, type MissEvidence } from './candidate.ts'

/** Why files are not judged. */
export const skipText = (reason: string): string => {
  const key = known(`corruption.skip.${reason}`)
  return key === null ? reason : t(key)
}

/** Without a readable cache key the service is unknown. */
export const shownService = (service: string): string =>
  service === 'unknown' ? t('corruption.unknownService') : serviceName(service)

export function sliceText(
  slice: MissEvidence['cacheSlice'] | MissEvidence['observedRange'],
): string {
  if ('start' in slice) {
    return t('corruption.bytes', { from: countText(slice.start), to: countText(slice.end) })
  }
  return t(slice.kind === 'noslice' ? 'corruption.wholeUnsliced' : 'corruption.whole')
}

/** The line below a file's name. */
export function reasonText({ evidence }: Candidate): string {
  if (evidence.kind === 'repeated_miss') return tn('corruption.missedTimes', evidence.evidenceCount)
  const [, from, to] = rangeEnd.exec(evidence.cacheKeyText ?? '') ?? []
  const range =
    from === undefined || to === undefined
      ? []
      : [sliceText({ kind: 'ranged', start: Number(from), end: Number(to) })]
  return [...evidence.issues.map((issue) => t(`corruption.issue.${issue}`)), ...range].join(' · ')
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** Outcome of a finished removal; null without figures. */
export function removalText({ context, error, status }: Job): string | null {
  if (error !== null) return error
  if (status !== 'completed' || context === null) return null
  const service = context['service']
  const lines = numberOf(context['logLines'])
  const parts = [
    typeof service === 'string' ? shownService(service) : null,
    tn('corruption.deleted', numberOf(context['files'])),
    tn('corruption.alreadyGone', numberOf(context['alreadyMissing'])),
    tn('corruption.healed', numberOf(context['healed'])),
    lines === 0 ? null : tn('corruption.linesRemoved', lines),
  ]
  return parts.filter((part) => part !== null).join(' · ')
}
