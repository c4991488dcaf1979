import { OperationCard } from '../../app/operation-card.tsx'
import { countText } from '../../format/numbers.ts'
import { durationText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { useJobs, type Job } from '../cache/use-jobs.ts'

interface Fact {
  label: string
  value: string
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)

/** Figures of a running scan, as it reports them; what it does not say is left out. */
export function factsOf(context: Record<string, unknown>): Fact[] {
  const count = (name: string) => numberOf(context[name])
  const pair = (done: number | null, total: number | null) =>
    done === null
      ? null
      : total === null || total === 0
        ? countText(done)
        : t('corruption.of', { done: countText(done), total: countText(Math.max(done, total)) })
  const isStructural = context['detectionMethod'] === 'structural'
  const rate = count('filesPerSecond')
  const eta = count('etaSeconds')
  const inspected = count('filesInspected')
  const lines = count('linesRead')
  const found = count(isStructural ? 'totalCorrupted' : 'suspects')
  const pass = isStructural
    ? context['pass'] === 'counting'
      ? t('corruption.passCounting')
      : context['effectiveScanMode'] === 'baseline'
        ? t('corruption.passBaseline')
        : t('corruption.passScanning')
    : context['stage'] === 'analysing'
      ? t('corruption.passFiles')
      : t('corruption.passReading')
  const files = isStructural
    ? pair(count('filesProcessed'), count('totalFiles'))
    : pair(count('filesRead'), count('filesTotal'))
  const facts = [
    { label: t('corruption.pass'), value: pass },
    { label: t(isStructural ? 'corruption.files' : 'corruption.logFiles'), value: files },
    {
      label: t('corruption.inspected'),
      value: inspected === null ? null : countText(inspected),
    },
    { label: t('corruption.lines'), value: lines === null ? null : countText(lines) },
    {
      label: t('corruption.rate'),
      value: rate === null ? null : t('corruption.perSecond', { count: countText(rate) }),
    },
    { label: t('corruption.left'), value: eta === null ? null : durationText(eta) },
    { label: t('corruption.foundSoFar'), value: found === null ? null : countText(found) },
  ]
  return facts.flatMap(({ label, value }) => (value === null ? [] : [{ label, value }]))
}

/** The scan that runs or waits: how far it is, and the way to end it. */
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
