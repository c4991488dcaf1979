import { Dot } from '../../../components/figures.tsx'
import { fullMomentText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import type { Scan } from './queries.ts'

/** States that the results below are from an earlier scan. */
export function PastNote({ scan, onLeave }: { scan: Scan; onLeave: () => void }) {
  return (
    <p
      role="status"
      className="card mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 px-[18px] py-3"
    >
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
}
