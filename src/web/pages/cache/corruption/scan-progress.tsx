import { OperationCard } from '../../../app/operation-card.tsx'
import { useJobs, type Job } from '../../../app/use-jobs.ts'
import { factsOf } from './scan-facts.ts'

/** The running or queued scan: its progress, with a cancel button. */
export function ScanProgress() {
  const { running } = useJobs(['corruptionDetection', 'corruptionRemoval'])
  return running.map((job) => <Running key={job.id} job={job} />)
}

function Running({ job }: { job: Job }) {
  const facts =
    job.type === 'corruptionDetection' && job.context !== null ? factsOf(job.context) : []
  return (
    <section aria-label={job.name} className="mb-3">
      <OperationCard operation={job} />
      {facts.length > 0 && (
        <dl className="mt-2 flex flex-wrap gap-x-8 gap-y-2 px-4 text-[13px]">
          {facts.map(({ label, value }) => (
            <div key={label}>
              <dt className="text-small text-dim">{label}</dt>
              <dd className="figure">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
