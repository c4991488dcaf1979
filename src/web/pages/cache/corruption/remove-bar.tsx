import { Confirm } from '../../../components/setting-controls.tsx'
import { countText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { useAwayChoice } from '../away/choice.tsx'
import type { Candidate } from './candidate.ts'
import type { Scan } from './queries.ts'
import { shownService } from './texts.ts'
import { selectedMax, useRemoval } from './use-removal.ts'

interface RemoveBarProps {
  scan: Scan
  service: string
  candidates: readonly Candidate[]
  selected: ReadonlySet<string>
  onStarted: () => void
}

/** The consequence of a removal in one sentence, by method. */
export function consequenceOf(scan: Scan, count: number): string {
  return scan.method === 'structural'
    ? tn('corruption.removeStructural', count)
    : tn('corruption.removeMissed', count)
}

/** Removes the selected files, all of the service, or all findings. */
export function RemoveBar(props: RemoveBarProps) {
  const { scan, service, candidates, selected, onStarted } = props
  const { remove, isBusy } = useRemoval(scan)
  const { isBusy: isRunning } = useJobs(['corruptionRemoval', 'corruptionDetection'])
  const hasOthers = Object.keys(scan.counts).length > 1
  const ids = [...selected]
  const { query: away, control } = useAwayChoice()
  return (
    <>
      {control !== null && <div className="w-full">{control}</div>}
      <p className="figure mr-auto text-[13px] text-dim">
        {t('corruption.selected', {
          count: countText(ids.length),
          total: countText(candidates.length),
        })}
        {ids.length >= selectedMax && ` · ${t('corruption.selectedMax')}`}
      </p>
      <Confirm
        label={tn('corruption.removeSelected', ids.length)}
        consequence={consequenceOf(scan, ids.length)}
        isBusy={isBusy || isRunning}
        disabled={ids.length === 0}
        onConfirm={() => remove({ service, ids, after: onStarted, away })}
      />
      <Confirm
        label={t('corruption.removeService', { service: shownService(service) })}
        consequence={consequenceOf(scan, candidates.length)}
        isBusy={isBusy || isRunning}
        onConfirm={() => remove({ service, ids: [], after: onStarted, away })}
      />
      {hasOthers && (
        <Confirm
          label={tn('corruption.removeAll', scan.total)}
          consequence={consequenceOf(scan, scan.total)}
          isBusy={isBusy || isRunning}
          onConfirm={() => remove({ service: null, ids: [], after: onStarted, away })}
        />
      )}
    </>
  )
}
