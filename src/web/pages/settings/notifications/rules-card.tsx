import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Card } from '../../../components/card.tsx'
import { Choice } from '../../../components/choice.tsx'
import { Segments } from '../../../components/segments.tsx'
import { Setting } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { languageNames, locales, t, tn, type Key, type Locale } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { JobTypes } from './job-types.tsx'
import type { Notifications, Rules } from './queries.ts'

const days = [3, 7, 14, 30, 60] as const
const flags = [
  ['notify.service', 'service'],
  ['notify.dns', 'dns'],
  ['notify.corruption', 'corruption'],
  ['notify.signIns', 'signIns'],
] as const

const failures = ['all', 'some', 'none'] as const
type Failures = (typeof failures)[number]
const failureNames: Record<Failures, Key> = {
  all: 'notify.everyJob',
  some: 'notify.someJobs',
  none: 'notify.noJob',
}

/** What is notified. Each change is saved at once. */
export function RulesCard({ rules, language }: Notifications) {
  const { change, isBusy } = useSave({ stale: [keys.notifications] })
  const put = (next: Rules) => unwrap(api.ext.notifications.rules.put(next))
  const putLanguage = (next: Locale) =>
    unwrap(api.ext.notifications.language.put({ language: next }))
  const set = (part: Partial<Rules>) => change(put, [{ ...rules, ...part }, rules])
  const { failedJobs, finishedJobs, diskDays } = rules
  const failure: Failures = failedJobs === null ? 'all' : failedJobs.length > 0 ? 'some' : 'none'
  const choices = [...new Set([...days, ...(diskDays === null ? [] : [diskDays])])]
  return (
    <Card title={t('notify.rules')} note={t('notify.rulesNote')}>
      <Setting id="notify.language">
        <Segments
          value={language}
          options={locales.map((value) => ({ value, label: languageNames[value] }))}
          disabled={isBusy}
          onChange={(next) => change(putLanguage, [next, language])}
        />
      </Setting>
      {flags.map(([id, rule]) => (
        <Setting key={id} id={id}>
          <Switch isOn={rules[rule]} disabled={isBusy} onChange={(isOn) => set({ [rule]: isOn })} />
        </Setting>
      ))}
      <Setting id="notify.disk">
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
        id="notify.failedJobs"
        state={
          failedJobs !== null &&
          failedJobs.length > 0 && (
            <JobTypes
              label={t('notify.failedJobs')}
              chosen={failedJobs}
              disabled={isBusy}
              onChange={(chosen) => set({ failedJobs: chosen })}
            />
          )
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
        id="notify.finishedJobs"
        state={
          <JobTypes
            label={t('notify.finishedJobs')}
            chosen={finishedJobs}
            disabled={isBusy}
            onChange={(chosen) => set({ finishedJobs: chosen })}
          />
        }
      />
    </Card>
  )
}
