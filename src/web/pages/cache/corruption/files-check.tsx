import { t, tn } from '../../../locales/translate.ts'
import { GateNote } from '../gate-note.tsx'
import { useGates } from '../use-gates.ts'
import { MethodCard } from './method-card.tsx'
import { corruptionKey, useCurrentScan, useScans, type Method, type Scan } from './queries.ts'
import { Results } from './results.tsx'
import { useIntegrity } from '../integrity/use-integrity.ts'
import { useStaleAfter, useJobs, type Job } from '../../../app/use-jobs.ts'
import { Dot } from '../../../components/figures.tsx'
import { fullMomentText, agoText, momentText } from '../../../format/times.ts'
import { OperationCard } from '../../../app/operation-card.tsx'
import { factsOf } from './scan-facts.ts'
import { useNow } from '../../../app/clock.ts'
import { removalText } from './texts.ts'
import { X } from 'lucide-react'
import { api, unwrap } from '../../../api/client.ts'
import { Card, Notice, Waiting } from '../../../components/card.tsx'
import { countText } from '../../../format/numbers.ts'
import { useSave } from '../../../app/use-save.ts'
import { IconButton } from '../../../components/form-controls.tsx'

const stale = [corruptionKey]
const methods: readonly Method[] = ['structural', 'repeated_miss']

/** Finds corrupted cache files and removes exactly those. */
export function FilesCheck() {
  const { search, change } = useIntegrity()
  const gates = useGates()
  useStaleAfter(['corruptionDetection', 'corruptionRemoval', 'cacheClearing'], stale)
  const scans = useScans()
  const past = scans.data?.find(({ id, isCurrent }) => id === search.scan && !isCurrent) ?? null
  const method: Method =
    past?.method ?? (search.method === 'missed' ? 'repeated_miss' : 'structural')
  const shown = useCurrentScan(method)
  const show = (next: Method) =>
    change({
      method: next === 'repeated_miss' ? 'missed' : undefined,
      scan: undefined,
      service: undefined,
      open: undefined,
    })
  return (
    <>
      <GateNote gates={gates.keys} consequence={t('corruption.gateSearch')} />
      <GateNote gates={gates.write} consequence={t('corruption.gateRemove')} />
      <div className="mb-3 grid grid-cols-[minmax(0,1fr)] items-stretch gap-3 lg:grid-cols-2">
        {methods.map((one) => (
          <MethodCard key={one} method={one} isShown={one === method} onShow={() => show(one)} />
        ))}
      </div>
      <ScanProgress />
      <RecentRemovals />
      {past !== null && <PastNote scan={past} onLeave={() => show(method)} />}
      <Results
        key={`${past?.id ?? shown.data?.id} ${search.service}`}
        scan={past ?? shown.data}
        method={method}
        error={shown.error}
      />
      <HistoryCard shown={past?.id ?? shown.data?.id} />
    </>
  )
}

/** States that the results below are from an earlier scan. */
const PastNote = ({ scan, onLeave }: { scan: Scan; onLeave: () => void }) => (
  <p role="status" className="card mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 px-[18px] py-3">
    <span className="flex items-center gap-2 font-medium">
      <Dot tone="quiet" />
      {t('corruption.past', { time: fullMomentText(new Date(scan.completedAt)) })}
    </span>
    <span className="text-small text-dim">{t('corruption.pastText')}</span>
    <button type="button" className="link ml-auto" onClick={onLeave}>
      {t('corruption.pastLeave')}
    </button>
  </p>
)

/** The running or queued scan: its progress, with a cancel button. */
function ScanProgress() {
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

/** Older results are in the operations drawer. */
const recentMs = 3_600_000
const recentMax = 3

/** Outcome of failed scans and of the latest removals. */
function RecentRemovals() {
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

/** The last three scans of each method; their findings can be viewed again. */
function HistoryCard({ shown }: { shown: string | undefined }) {
  const { data: scans } = useScans()
  return (
    <Card title={t('corruption.history')} note={t('corruption.historyNote')}>
      {scans === undefined && <Waiting rows={2} />}
      {scans !== undefined && scans.length === 0 && (
        <Notice title={t('corruption.never')} className="py-4" />
      )}
      <div className="grid gap-x-8 gap-y-4 lg:grid-cols-2">
        {methods.map((method) => {
          const own = (scans ?? []).filter((scan) => scan.method === method)
          if (own.length === 0) return null
          return (
            <section key={method} className="min-w-0">
              <h3 className="mb-1 text-small font-medium text-dim">
                {t(method === 'structural' ? 'corruption.structural' : 'corruption.missed')}
              </h3>
              <ul>
                {own.map((scan) => (
                  <Past key={scan.id} scan={scan} isShown={scan.id === shown} />
                ))}
              </ul>
            </section>
          )
        })}
      </div>
    </Card>
  )
}

function Past({ scan, isShown }: { scan: Scan; isShown: boolean }) {
  const { change } = useIntegrity()
  const { save, isBusy } = useSave({ stale: [corruptionKey] })
  const now = useNow(60_000)
  const time = momentText(new Date(scan.completedAt), now)
  const open = () =>
    change({
      method: scan.method === 'repeated_miss' ? 'missed' : undefined,
      scan: scan.isCurrent ? undefined : scan.id,
      service: undefined,
      open: undefined,
    })
  return (
    <li className="flex items-center gap-3 border-line py-1.5 not-last:border-b">
      <Dot tone={scan.total === 0 ? 'good' : scan.isCurrent ? 'attention' : 'quiet'} />
      <button
        type="button"
        aria-pressed={isShown}
        onClick={open}
        className="figure flex min-h-6 min-w-0 flex-1 flex-wrap items-center gap-x-2.5 text-left text-[13px] hover:underline"
      >
        <span className="font-medium">{time}</span>
        <span>
          {scan.total === 0
            ? t('corruption.foundNone')
            : `${countText(scan.total)} · ${tn('corruption.inServices', Object.keys(scan.counts).length)}`}
        </span>
        <span className="text-dim">
          {t(scan.isCurrent ? 'corruption.isCurrent' : 'corruption.isPast')}
        </span>
      </button>
      <IconButton
        label={t('corruption.forget', { time })}
        isOff={isBusy}
        onClick={() =>
          save({
            run: () => unwrap(api.cache.corruption.history({ scanId: scan.id }).delete()),
            done: t('corruption.forgotten'),
            after: () => change({ scan: undefined, open: undefined }),
          })
        }
      >
        <X size={14} />
      </IconButton>
    </li>
  )
}
