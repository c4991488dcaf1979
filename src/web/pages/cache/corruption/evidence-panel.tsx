import { Link } from '@tanstack/react-router'
import { StateLine } from '../../../components/card.tsx'
import { Confirm } from '../../../components/setting-controls.tsx'
import { Facts, type Fact } from '../../../components/figures.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import {
  nameOf,
  objectOf,
  type Candidate,
  type MissEvidence,
  type StructuralEvidence,
} from './candidate.ts'
import type { Scan } from './queries.ts'
import { consequenceOf } from './remove-bar.tsx'
import { shownService, sliceText } from './texts.ts'
import { useRemoval } from './use-removal.ts'
import { countText, byteText } from '../../../format/numbers.ts'
import { fullMomentText, durationText, momentText } from '../../../format/times.ts'
import { Table } from '../../../components/table.tsx'

interface EvidencePanelProps {
  candidate: Candidate
  scan: Scan
  canRemove: boolean
  onStarted: () => void
}

/** Evidence about a file: the issues in plain words, then its header. */
export function EvidencePanel({ candidate, scan, canRemove, onStarted }: EvidencePanelProps) {
  const { evidence, service, datasource, exactPaths, candidateId } = candidate
  const object = objectOf(candidate)
  const { remove, isBusy } = useRemoval(scan)
  const { isBusy: isRunning } = useJobs(['corruptionRemoval', 'corruptionDetection'])
  return (
    <>
      <p className="mb-1 font-medium break-all">{nameOf(candidate)}</p>
      <p className="mb-4 text-small text-dim">
        {shownService(service)} · {datasource}
      </p>
      {evidence.kind === 'structural' ? (
        <>
          <ul className="mb-4 space-y-2.5">
            {evidence.issues.map((issue) => (
              <li key={issue} className="text-[13px]">
                <StateLine tone="bad">
                  <span className="block font-medium">{t(`corruption.issue.${issue}`)}</span>
                  <span className="text-dim">{t(`corruption.issueText.${issue}`)}</span>
                </StateLine>
              </li>
            ))}
          </ul>
          {evidence.disagreement !== null && <Disagreement evidence={evidence.disagreement} />}
          <h3 className="mb-1.5 text-card font-semibold">{t('corruption.wasRead')}</h3>
          <Facts facts={headerFacts(evidence)} />
        </>
      ) : (
        <>
          <p className="mb-4 text-[13px] text-dim">{t('corruption.missedWhy')}</p>
          <Facts facts={missFacts(evidence)} />
          <Observations evidence={evidence} />
        </>
      )}
      <h3 className="mb-1.5 text-card font-semibold">{t('corruption.paths')}</h3>
      <ul className="mb-5 space-y-1 font-mono text-[12px] break-all text-dim">
        {exactPaths.map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
      {object !== null && (
        <p className="mb-4">
          <Link
            to="/cache/integrity"
            search={{ view: 'object', source: datasource, url: object.path, tag: object.tag }}
            className="link text-[13px]"
          >
            {t('corruption.wholeObject')}
          </Link>
        </p>
      )}
      {canRemove && (
        <Confirm
          label={t('corruption.removeOne')}
          consequence={consequenceOf(scan, 1)}
          isBusy={isBusy || isRunning}
          onConfirm={() => remove({ service, ids: [candidateId], after: onStarted })}
        />
      )}
    </>
  )
}

const bytes = (value: number | null): string | null =>
  value === null ? null : t('corruption.byteCount', { count: countText(value) })

/** Nanoseconds since 1970 as text: JSON numbers would lose the last digits. */
const momentOf = (nanoseconds: string): string =>
  fullMomentText(new Date(Number(BigInt(nanoseconds) / 1_000_000n)))

/** Values from the file's header, and its actual size. */
function headerFacts(evidence: StructuralEvidence): Fact[] {
  const { actualPayloadLength, expectedPayloadLength } = evidence
  return [
    [t('corruption.fileLength'), bytes(evidence.fileLength)],
    [t('corruption.headerStart'), bytes(evidence.headerStart)],
    [t('corruption.bodyStart'), bytes(evidence.bodyStart)],
    [t('corruption.payloadIs'), bytes(actualPayloadLength)],
    [t('corruption.payloadShould'), bytes(expectedPayloadLength)],
    [t('corruption.status'), evidence.httpStatus === null ? null : String(evidence.httpStatus)],
    ['Content-Length', evidence.contentLength === null ? null : countText(evidence.contentLength)],
    ['Content-Range', evidence.contentRange],
    [t('corruption.key'), evidence.cacheKeyText],
    [t('corruption.keyDigest'), evidence.cacheKeyMd5],
    [t('corruption.changedAt'), momentOf(evidence.fingerprint.mtimeNs)],
    [t('corruption.detectedAt'), fullMomentText(new Date(evidence.detectedAtUtc))],
  ]
}

function missFacts(evidence: MissEvidence): Fact[] {
  return [
    [t('corruption.asked'), evidence.rawUrl],
    [t('corruption.range'), sliceText(evidence.observedRange)],
    [t('corruption.slice'), sliceText(evidence.cacheSlice)],
    [t('corruption.firstMissed'), fullMomentText(new Date(evidence.firstSeen))],
    [t('corruption.lastMissed'), fullMomentText(new Date(evidence.lastSeen))],
  ]
}

/** The first with its time, the others with their offset from it. */
function timeText(timestamp: string, first: string | null): string {
  if (first === null) return momentText(new Date(timestamp), new Date())
  return `+ ${durationText((Date.parse(timestamp) - Date.parse(first)) / 1000)}`
}

/** Log lines that are the evidence, oldest first. */
function Observations({ evidence }: { evidence: MissEvidence }) {
  const first = evidence.observations[0]?.timestamp ?? null
  return (
    <section className="mb-5">
      <h3 className="mb-1.5 text-card font-semibold">{t('corruption.observations')}</h3>
      <Table
        label={t('corruption.observations')}
        head={[
          t('corruption.when'),
          t('column.client'),
          t('corruption.answer'),
          t('corruption.sent'),
        ]}
        ends={[3]}
      >
        {evidence.observations.map((seen, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- equal lines are observations of their own
          <tr key={index} className="border-line not-last:border-b">
            <td className="py-1.5 pr-3 whitespace-nowrap">
              {timeText(seen.timestamp, index === 0 ? null : first)}
            </td>
            <td className="py-1.5 pr-3">{seen.clientIp}</td>
            <td className="py-1.5 pr-3 whitespace-nowrap">
              {seen.httpStatus} {seen.cacheStatus}
            </td>
            <td className="py-1.5 pr-3 text-right whitespace-nowrap">
              {byteText(seen.bytesServed)}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

type Evidence = NonNullable<StructuralEvidence['disagreement']>
type Stated = Evidence['own']

function valueOf(stated: Stated, field: Evidence['fields'][number]): string {
  if (field === 'etag') return stated.etag ?? '–'
  if (field === 'totalLength') {
    return stated.totalLength === null ? '–' : countText(stated.totalLength)
  }
  const { lastModifiedAt } = stated
  return lastModifiedAt === null ? '–' : fullMomentText(new Date(lastModifiedAt * 1000))
}

/** A slice compared with others of its object: what differs, and how many agree. */
function Disagreement({ evidence }: { evidence: Evidence }) {
  const { fields, own, siblings, slicesCompared } = evidence
  return (
    <section className="mb-5">
      <h3 className="text-card font-semibold">{t('corruption.siblings')}</h3>
      <p className="mb-1.5 text-small text-dim">{tn('corruption.compared', slicesCompared)}</p>
      <Table
        label={t('corruption.siblings')}
        head={[t('corruption.slices'), ...fields.map((field) => t(`corruption.fact.${field}`))]}
      >
        <Row name={t('corruption.thisSlice')} stated={own} fields={fields} />
        {siblings.map((sibling) => (
          <Row
            key={sibling.sampleMd5}
            name={tn('corruption.others', sibling.slices)}
            stated={sibling}
            fields={fields}
          />
        ))}
      </Table>
    </section>
  )
}

interface RowProps {
  name: string
  stated: Stated
  fields: Evidence['fields']
}

const Row = ({ name, stated, fields }: RowProps) => (
  <tr className="border-line not-last:border-b">
    <th scope="row" className="py-1.5 pr-3 font-normal">
      {name}
    </th>
    {fields.map((field) => (
      <td key={field} className="py-1.5 pr-3 break-all">
        {valueOf(stated, field)}
      </td>
    ))}
  </tr>
)
