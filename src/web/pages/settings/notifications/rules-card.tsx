import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Card } from '../../../components/card.tsx'
import { Choice } from '../../../components/choice.tsx'
import { Setting } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { t, tn, type Key } from '../../../locales/translate.ts'
import { useSave } from '../use-save.ts'
import { JobTypes } from './job-types.tsx'
import type { Rules } from './queries.ts'

const days = [3, 7, 14, 30, 60] as const
const flags: readonly {
  rule: 'corruption' | 'dns' | 'signIns' | 'service'
  title: Key
  note: Key
}[] = [
  { rule: 'service', title: 'notify.service', note: 'notify.serviceNote' },
  { rule: 'dns', title: 'notify.dns', note: 'notify.dnsNote' },
  { rule: 'corruption', title: 'notify.corruption', note: 'notify.corruptionNote' },
  { rule: 'signIns', title: 'notify.signIns', note: 'notify.signInsNote' },
]

const failures = ['all', 'some', 'none'] as const
type Failures = (typeof failures)[number]
const failureNames: Record<Failures, Key> = {
  all: 'notify.everyJob',
  some: 'notify.someJobs',
  none: 'notify.noJob',
}

/** What is notified. Each change is saved at once. */
export function RulesCard({ rules }: { rules: Rules }) {
  const { change, isBusy } = useSave({ stale: [keys.notifications] })
  const put = (next: Rules) => unwrap(api.ext.notifications.rules.put(next))
  const set = (part: Partial<Rules>) => change(put, [{ ...rules, ...part }, rules])
  const { failedJobs, finishedJobs, diskDays } = rules
  const failure: Failures = failedJobs === null ? 'all' : failedJobs.length > 0 ? 'some' : 'none'
  const choices = [...new Set([...days, ...(diskDays === null ? [] : [diskDays])])]
  return (
    <Card title={t('notify.rules')} note={t('notify.rulesNote')}>
      {flags.map(({ rule, title, note }) => (
        <Setting key={rule} title={t(title)} note={t(note)}>
          <Switch isOn={rules[rule]} disabled={isBusy} onChange={(isOn) => set({ [rule]: isOn })} />
        </Setting>
      ))}
      <Setting title={t('notify.disk')} note={t('notify.diskNote')}>
        <Choice
          value={String(diskDays ?? 0)}
          options={[
            { value: '0', label: t('notify.never') },
            ...choices
              .sort((a, b) => a - b)
              .map((value) => ({ value: String(value), label: tn('notify.daysBefore', value) })),
          ]}
          disabled={isBusy}
          onChange={(value) => set({ diskDays: value === '0' ? null : Number(value) })}
        />
      </Setting>
      <Setting
        title={t('notify.failedJobs')}
        note={
          <>
            {t('notify.failedJobsNote')}
            {failedJobs !== null && failedJobs.length > 0 && (
              <JobTypes
                label={t('notify.failedJobs')}
                chosen={failedJobs}
                disabled={isBusy}
                onChange={(chosen) => set({ failedJobs: chosen })}
              />
            )}
          </>
        }
      >
        <Choice
          value={failure}
          options={failures.map((value) => ({ value, label: t(failureNames[value]) }))}
          disabled={isBusy}
          onChange={(value) =>
            set({ failedJobs: { all: null, some: ['gameRemoval' as const], none: [] }[value] })
          }
        />
      </Setting>
      <Setting
        title={t('notify.finishedJobs')}
        note={
          <>
            {t('notify.finishedJobsNote')}
            <JobTypes
              label={t('notify.finishedJobs')}
              chosen={finishedJobs}
              disabled={isBusy}
              onChange={(chosen) => set({ finishedJobs: chosen })}
            />
          </>
        }
      />
    </Card>
  )
}
