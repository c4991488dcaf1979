import { useNow } from '../../../app/use-now.ts'
import { StateLine } from '../../../components/setting.tsx'
import { percentText } from '../../../format/numbers.ts'
import { sinceText } from '../../../format/since.ts'
import { t } from '../../../locales/translate.ts'
import type { useJobs } from '../../../app/use-jobs.ts'

interface LastRunProps {
  jobs: ReturnType<typeof useJobs>
  /** ISO-8601; null: never. */
  lastAt: string | null
}

/** The run of the moment, how the last one failed, or when it was. */
export function LastRun({ jobs, lastAt }: LastRunProps) {
  const now = useNow(30_000)
  const [running] = jobs.running
  const [last] = jobs.recent
  if (running !== undefined) {
    const percent = percentText(running.percentComplete)
    return <StateLine tone="good">{t('mappings.collecting', { percent })}</StateLine>
  }
  if (last?.status === 'failed') {
    const reason = last.error ?? ''
    return <StateLine tone="attention">{t('mappings.failed', { reason })}</StateLine>
  }
  if (lastAt === null) return <StateLine tone="quiet">{t('mappings.never')}</StateLine>
  const time = sinceText(new Date(lastAt), now)
  return <StateLine tone="good">{t('mappings.last', { time })}</StateLine>
}

/** Whether an account is signed in, and which. */
export function AccountLine({ isSignedIn, name }: { isSignedIn: boolean; name: string | null }) {
  if (!isSignedIn) return <StateLine tone="quiet">{t('mappings.signedOut')}</StateLine>
  return (
    <StateLine tone="good">
      {name === null ? t('mappings.signedInUnnamed') : t('mappings.signedIn', { name })}
    </StateLine>
  )
}
