import { clsx } from 'clsx'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useSave } from '../../../app/use-save.ts'
import { Card } from '../../../components/card.tsx'
import { ChoiceSetting, SwitchSetting } from '../../../components/setting-controls.tsx'
import { Setting } from '../../../components/setting.tsx'
import { languageNames, locales, t, tn, type Key } from '../../../locales/translate.ts'
import type { Notifications, Rules } from './queries.ts'

const days = [null, 3, 7, 14, 30, 60] as const
const flags = [
  ['notify.service', 'service'],
  ['notify.dns', 'dns'],
  ['notify.corruption', 'corruption'],
  ['notify.signIns', 'signIns'],
  ['notify.readiness', 'readiness'],
] as const

const failures = ['all', 'some', 'none'] as const
type Failures = (typeof failures)[number]
/** What is stored for a choice; some begin with one type. */
const jobsOf: Record<Failures, JobType[] | null> = { all: null, some: ['gameRemoval'], none: [] }

/** What is notified. Each change is saved at once. */
export function RulesCard({ rules, language }: Notifications) {
  const saving = useSave({ stale: [keys.notifications] })
  const put = (next: Rules) => unwrap(api.ext.notifications.rules.put(next))
  const member = <Name extends keyof Rules>(name: Name) => ({
    saving,
    value: rules[name],
    write: (value: Rules[Name]) => put({ ...rules, [name]: value }),
  })
  const { failedJobs, finishedJobs } = rules
  const failure: Failures = failedJobs === null ? 'all' : failedJobs.length > 0 ? 'some' : 'none'
  const known: readonly (number | null)[] = days
  const choices = [...new Set([...known, rules.diskDays])].toSorted((a, b) => (a ?? 0) - (b ?? 0))
  const jobs = (name: 'failedJobs' | 'finishedJobs', label: Key, chosen: readonly JobType[]) => (
    <JobTypes
      label={t(label)}
      chosen={chosen}
      disabled={saving.isBusy}
      onChange={(next) => saving.change(put, [{ ...rules, [name]: next }, rules])}
    />
  )
  return (
    <Card title={t('notify.rules')} note={t('notify.rulesNote')}>
      <ChoiceSetting
        id="notify.language"
        isFlat
        value={language}
        standard="en"
        options={locales.map((value) => ({ value, label: languageNames[value] }))}
        write={(next) => unwrap(api.ext.notifications.language.put({ language: next }))}
        saving={saving}
      />
      {flags.map(([id, rule]) => (
        <SwitchSetting key={id} id={id} {...member(rule)} />
      ))}
      <ChoiceSetting
        id="notify.disk"
        {...member('diskDays')}
        options={choices.map((value) => ({
          value,
          label: value === null ? t('notify.never') : tn('notify.daysBefore', value),
        }))}
      />
      <ChoiceSetting
        id="notify.failedJobs"
        value={failure}
        options={failures.map((value) => ({ value, label: t(`notify.jobs.${value}`) }))}
        // Undo stores the types that were chosen.
        write={(value) =>
          put({ ...rules, failedJobs: value === failure ? failedJobs : jobsOf[value] })
        }
        saving={saving}
        state={
          failedJobs !== null &&
          failedJobs.length > 0 &&
          jobs('failedJobs', 'notify.failedJobs', failedJobs)
        }
      />
      <Setting
        id="notify.finishedJobs"
        {...(finishedJobs.length === 0 && { value: t('notify.jobs.none') })}
        state={jobs('finishedJobs', 'notify.finishedJobs', finishedJobs)}
      />
    </Card>
  )
}

type JobType = Rules['finishedJobs'][number]

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
function JobTypes({ label, chosen, disabled, onChange }: JobTypesProps) {
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
