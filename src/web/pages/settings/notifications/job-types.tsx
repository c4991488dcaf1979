import { clsx } from 'clsx'
import { t, type Key } from '../../../locales/translate.ts'
import type { Rules } from './queries.ts'

export type JobType = Rules['finishedJobs'][number]

/** Jobs that people wait for; all others are included in "every job". */
const types: readonly { type: JobType; label: Key }[] = [
  { type: 'logProcessing', label: 'job.logProcessing' },
  { type: 'scheduledPrefill', label: 'job.scheduledPrefill' },
  { type: 'gameDetection', label: 'job.gameDetection' },
  { type: 'cacheSizeScan', label: 'job.cacheSize' },
  { type: 'corruptionDetection', label: 'notify.corruptionScan' },
  { type: 'evictionScan', label: 'job.evictionScan' },
  { type: 'gameRemoval', label: 'notify.gameRemoval' },
  { type: 'serviceRemoval', label: 'notify.serviceRemoval' },
  { type: 'corruptionRemoval', label: 'notify.corruptionRemoval' },
  { type: 'cacheClearing', label: 'notify.cacheClearing' },
  { type: 'logRemoval', label: 'notify.logRemoval' },
  { type: 'dataImport', label: 'job.dataImport' },
  { type: 'databaseReset', label: 'job.databaseReset' },
  { type: 'depotMapping', label: 'job.depotMapping' },
  { type: 'betaMapping', label: 'job.betaMapping' },
  { type: 'epsilonMapping', label: 'job.epsilonMapping' },
]

interface JobTypesProps {
  label: string
  chosen: readonly JobType[]
  disabled: boolean
  onChange: (chosen: JobType[]) => void
}

/** Types of jobs, each of which can be chosen. */
export function JobTypes({ label, chosen, disabled, onChange }: JobTypesProps) {
  const isChosen = (type: JobType) => chosen.includes(type)
  const toggle = (type: JobType) =>
    onChange(isChosen(type) ? chosen.filter((one) => one !== type) : [...chosen, type])
  return (
    <div role="group" aria-label={label} className="mt-2 flex w-full flex-wrap gap-1.5">
      {types.map(({ type, label: name }) => (
        <button
          key={type}
          type="button"
          aria-pressed={isChosen(type)}
          disabled={disabled}
          onClick={() => toggle(type)}
          className={clsx(
            'rounded-full border px-3 py-1 text-small disabled:opacity-60',
            isChosen(type)
              ? 'border-transparent bg-cache text-on-accent'
              : 'border-line text-dim hover:border-edge hover:text-text',
          )}
        >
          {t(name)}
        </button>
      ))}
    </div>
  )
}
