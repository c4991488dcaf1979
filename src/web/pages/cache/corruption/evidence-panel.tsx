import { Link } from '@tanstack/react-router'
import { Confirm, StateLine } from '../../../components/setting.tsx'
import { Facts } from '../../../components/facts.tsx'
import { t } from '../../../locales/translate.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { Disagreement } from './disagreement.tsx'
import { headerFacts, missFacts } from './header-facts.ts'
import { Observations } from './observations.tsx'
import { nameOf, objectOf, type Candidate } from './candidate.ts'
import type { Scan } from './queries.ts'
import { consequenceOf } from './remove-bar.tsx'
import { issueTexts, shownService } from './texts.ts'
import { useRemoval } from './use-removal.ts'

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
                  <span className="block font-medium">{t(issueTexts[issue].title)}</span>
                  <span className="text-dim">{t(issueTexts[issue].text)}</span>
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
