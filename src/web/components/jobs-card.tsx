import { Link } from '@tanstack/react-router'
import type { OperationType } from '../../core/operations/contract.ts'
import { OperationCard } from '../app/operation-card.tsx'
import { operationName } from '../app/operation-name.ts'
import { outcomeText } from '../app/stage-text.ts'
import { useNow } from '../app/clock.ts'
import { Dot } from './figures.tsx'
import { sinceText } from '../format/times.ts'
import { useJobs } from '../app/use-jobs.ts'

/** Older results are in the operations drawer. */
const recentMs = 10 * 60_000
const recentMax = 3

const tones = {
  completed: 'good',
  failed: 'bad',
  skipped: 'quiet',
} as const
const isEnded = (status: string): status is keyof typeof tones => status in tones

/** Running jobs of this page, with a cancel button, and the latest results. */
export function JobsCard({ types }: { types: readonly OperationType[] }) {
  const now = useNow(15_000)
  const { running, recent } = useJobs(types)
  const ended = recent
    .filter(({ finishedAt }) => now.getTime() - Date.parse(finishedAt ?? '') < recentMs)
    .slice(0, recentMax)
  if (running.length === 0 && ended.length === 0) return null
  return (
    <div className="mb-3.5 space-y-2" aria-live="polite">
      {running.map((job) => (
        <OperationCard key={job.id} operation={job} />
      ))}
      {ended.map((job) => (
        <p key={job.id} className="card flex flex-wrap items-center gap-2 px-4 py-2.5 text-[13px]">
          <Dot tone={isEnded(job.status) ? tones[job.status] : 'quiet'} />
          <Link
            to="/operations/$id"
            params={{ id: job.id }}
            className="py-[3px] font-medium hover:underline"
          >
            {operationName(job)}
          </Link>
          <span className="text-dim">{outcomeText(job)}</span>
          <span className="figure ml-auto text-dim">
            {sinceText(new Date(job.finishedAt ?? now), now)}
          </span>
        </p>
      ))}
    </div>
  )
}
