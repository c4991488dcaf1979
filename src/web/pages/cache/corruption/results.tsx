import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { Card, Notice, Pending } from '../../../components/card.tsx'
import { Mark } from '../../../components/artwork.tsx'
import { StartButton } from '../../../components/start-button.tsx'
import { byteText, countText, share } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { CandidateList } from './candidate-list.tsx'
import { useGates } from '../use-gates.ts'
import type { Method, Scan } from './queries.ts'
import { useIntegrity } from '../integrity/use-integrity.ts'
import { shownService, skipText } from './texts.ts'

interface ResultsProps {
  scan: Scan | null | undefined
  method: Method
  error: Error | null
}

/** A scan's results: coverage, counts by service and the single files. */
export function Results({ scan, method, error }: ResultsProps) {
  const { search, change } = useIntegrity()
  const gates = useGates()
  const title = t(method === 'structural' ? 'corruption.broken' : 'corruption.suspects')
  if (scan === undefined) {
    return (
      <Card title={title} className="mb-3">
        <Pending error={error} rows={4} />
      </Card>
    )
  }
  if (scan === null) {
    return (
      <Card title={title} className="mb-3">
        <Notice
          title={t('corruption.never')}
          action={
            method === 'structural' ? (
              <StartButton job="cache-check" label="corruption.paletteCheck" />
            ) : (
              <StartButton job="cache-misses" label="corruption.paletteMisses" />
            )
          }
          className="py-10"
        >
          {t('corruption.neverText')}
        </Notice>
      </Card>
    )
  }
  const services = Object.entries(scan.counts).toSorted(([, a], [, b]) => b - a)
  const service = services.find(([name]) => name === search.service)?.[0] ?? services[0]?.[0]
  return (
    <>
      <Figures scan={scan} />
      <Card title={title} note={settingsText(scan)} className="mb-3">
        {service === undefined ? (
          <Notice tone="good" title={t('corruption.foundNone')} className="py-10">
            {scan.coverage !== null &&
              `${t('corruption.checked', {
                files: tn('count.files', scan.coverage.filesChecked),
                bytes: byteText(scan.coverage.bytesRead),
              })} `}
            {t(method === 'structural' ? 'corruption.cleanText' : 'corruption.noMissesText')}
          </Notice>
        ) : (
          <>
            <Services
              services={services}
              chosen={service}
              onChoose={(name) => change({ service: name, open: undefined })}
            />
            <CandidateList
              key={`${scan.id} ${service}`}
              scan={scan}
              service={service}
              open={search.open}
              canRemove={
                scan.isCurrent &&
                gates.all.length === 0 &&
                (method === 'structural' || gates.canWriteLogs)
              }
              onOpen={(open) => change({ open })}
            />
          </>
        )}
      </Card>
      <NotJudged scan={scan} />
    </>
  )
}

function settingsText({ method, mode, threshold, lookbackDays }: Scan): string {
  if (method === 'structural') {
    return t(mode === 'full' ? 'corruption.wasFull' : 'corruption.wasIncremental')
  }
  return t('corruption.wasMissed', {
    times: tn('corruption.times', threshold ?? 0),
    days: tn('corruption.days', lookbackDays ?? 0),
  })
}

/** The figures that show how reliable the result is. */
function Figures({ scan }: { scan: Scan }) {
  const { coverage, summary, total, counts } = scan
  const services = Object.keys(counts).length
  if (coverage === null) return null
  const judged = coverage.filesChecked
  // Files that are intact individually may still not belong together.
  const sound =
    scan.method === 'structural'
      ? Math.max(0, Math.min(coverage.consistent, judged - total))
      : coverage.consistent
  return (
    <section
      aria-label={t('corruption.coverage')}
      className="card mb-3 grid grid-cols-2 overflow-hidden lg:grid-cols-4"
    >
      <Lead label={t('corruption.leadFound')} value={countText(total)}>
        {services === 0 ? t('corruption.noService') : tn('corruption.inServices', services)}
      </Lead>
      <Lead label={t('corruption.leadJudged')} value={countText(judged)}>
        {t('corruption.ofFiles', {
          files: countText(coverage.filesSeen),
          percent: countText(Math.floor(share(judged, coverage.filesSeen))),
        })}
      </Lead>
      <Lead label={t('corruption.leadSound')} value={countText(sound)}>
        {summary === null
          ? t('corruption.soundText')
          : t('corruption.reused', { count: countText(summary.filesReused) })}
      </Lead>
      <Lead label={t('corruption.leadRead')} value={byteText(coverage.bytesRead)}>
        {coverage.ioErrors === 0
          ? t('corruption.headersOnly')
          : tn('corruption.ioErrors', coverage.ioErrors)}
      </Lead>
      {summary !== null && summary.candidatesNotStored > 0 && (
        <p className="col-span-full border-t border-line px-[18px] py-2.5 text-small text-dim">
          {tn('corruption.notStored', summary.candidatesNotStored)}
        </p>
      )}
    </section>
  )
}

const Lead = ({
  label,
  value,
  children,
}: {
  label: string
  value: string
  children: ReactNode
}) => (
  <div className="border-line p-[18px] max-lg:odd:border-r max-lg:nth-[-n+2]:border-b lg:not-last:border-r">
    <p className="text-small text-dim">{label}</p>
    <p className="figure my-0.5 text-[24px] font-semibold">{value}</p>
    <p className="text-small text-dim">{children}</p>
  </div>
)

interface ServicesProps {
  services: readonly (readonly [name: string, count: number])[]
  chosen: string
  onChoose: (name: string) => void
}

function Services({ services, chosen, onChoose }: ServicesProps) {
  const most = Math.max(1, ...services.map(([, count]) => count))
  return (
    <div
      role="group"
      aria-label={t('corruption.byService')}
      className="mb-3.5 grid grid-cols-[repeat(auto-fill,minmax(210px,1fr))] gap-2"
    >
      {services.map(([name, count]) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === chosen}
          onClick={() => onChoose(name)}
          className={clsx(
            'flex items-center gap-3 rounded-control border px-3 py-2 text-left hover:bg-raise',
            name === chosen ? 'border-edge bg-raise' : 'border-line',
          )}
        >
          <Mark name={shownService(name)} service={name} />
          <span className="min-w-0 flex-1">
            <span className="flex items-baseline gap-2">
              <span className="truncate font-medium">{shownService(name)}</span>
              <span className="figure ml-auto">{countText(count)}</span>
            </span>
            <span aria-hidden="true" className="mt-1.5 block h-1 rounded-bar bg-line">
              <span
                className="block h-1 rounded-bar bg-fetched"
                style={{ width: `${share(count, most)}%` }}
              />
            </span>
          </span>
        </button>
      ))}
    </div>
  )
}

/** Files that the scan could not judge, with reasons; renders nothing without any. */
function NotJudged({ scan }: { scan: Scan }) {
  const reasons = Object.entries(scan.coverage?.skippedByReason ?? {})
    .filter(([, count]) => count > 0)
    .toSorted(([, a], [, b]) => b - a)
  if (reasons.length === 0) return null
  const total = reasons.reduce((sum, [, count]) => sum + count, 0)
  return (
    <Card
      title={t('corruption.notJudged')}
      note={tn('corruption.notJudgedNote', total)}
      className="mb-3"
    >
      <table className="w-full text-[13px]">
        <thead className="sr-only">
          <tr>
            <th scope="col">{t('corruption.reason')}</th>
            <th scope="col">{t('corruption.files')}</th>
          </tr>
        </thead>
        <tbody>
          {reasons.map(([reason, count]) => (
            <tr key={reason} className="border-line not-last:border-b">
              <td className="py-1.5 pr-4">{skipText(reason)}</td>
              <td className="figure py-1.5 text-right align-top">{countText(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}
