import { useNow } from '../../../app/use-now.ts'
import { Dot } from '../../../components/figures.tsx'
import { agoText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { removalText } from './texts.ts'

/** Older results are in the operations drawer. */
const recentMs = 3_600_000
const recentMax = 3

/** Outcome of failed scans and of the latest removals. */
export function RecentRemovals() {
  const now = useNow(15_000)
  const { recent } = useJobs(['corruptionRemoval', 'corruptionDetection'])
  const news = recent
    .filter(({ type, status }) => type === 'corruptionRemoval' || status === 'failed')
    .filter(({ finishedAt }) => now.getTime() - Date.parse(finishedAt ?? '') < recentMs)
    .slice(0, recentMax)
  if (news.length === 0) return null
  return (
    <ul aria-label={t('corruption.results')} className="mb-3 space-y-2">
      {news.map((job) => (
        <li key={job.id} className="card flex flex-wrap items-center gap-2 px-4 py-2.5 text-[13px]">
          <Dot tone={job.status === 'completed' ? 'good' : 'bad'} />
          <span className="font-medium">
            {t(job.type === 'corruptionRemoval' ? 'corruption.removal' : 'corruption.searchFailed')}
          </span>
          <span className="min-w-0 break-words text-dim">{removalText(job)}</span>
          <span className="figure ml-auto text-dim">
            {agoText(new Date(job.finishedAt ?? now), now)}
          </span>
        </li>
      ))}
    </ul>
  )
}
