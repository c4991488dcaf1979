import { useOpen } from '../../../app/use-address.ts'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button, Form, Switch, optionsOf } from '../../../components/form-controls.tsx'
import {
  Card,
  Notice,
  Pending,
  Nothing,
  useSaving,
  Row,
  StateLine,
} from '../../../components/card.tsx'
import {
  onOff,
  ChoiceSetting,
  SwitchSetting,
  Setting,
} from '../../../components/setting-controls.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { TimeSpan } from '../../../components/moment-field.tsx'
import { browserZone } from '../../../format/times.ts'
import { t, languageNames, locales, tn, type Key } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { useNotifications, type Notifications, refreshMs, type Rules } from './queries.ts'
import { TargetForm, TargetsCard } from './targets-card.tsx'
import { useAccountRead } from '../../../api/queries.ts'
import { reasonText } from '../../../api/refusal-text.ts'
import { useNow } from '../../../app/clock.ts'
import { Dot, Time } from '../../../components/figures.tsx'
import { clsx } from 'clsx'

/** Where notifications go, what they are about, and when they wait. */
export function Page() {
  const { open, show } = useOpen()
  const { data, error } = useNotifications()
  const isNew = open === 'new'
  const shown = data?.targets.find(({ id }) => id === open)
  const close = () => show(undefined)
  return (
    <SettingsPage
      title={t('settings.notifications')}
      tools={
        <Button onClick={() => show('new')}>
          <Plus size={15} />
          {t('notify.add')}
        </Button>
      }
    >
      {data === undefined && (
        <div className="card">
          <Pending isList error={error} rows={5} />
        </div>
      )}
      {data !== undefined && (
        <>
          <TargetsCard targets={data.targets} />
          <RulesCard {...data} />
          <QuietCard {...data} />
          <HistoryCard />
        </>
      )}
      <SidePanel
        isInAddress
        title={isNew ? t('notify.add') : (shown?.name ?? t('settings.notifications'))}
        isOpen={open !== undefined && (isNew || data !== undefined)}
        onClose={close}
      >
        {isNew && <TargetForm key="new" target={null} onDone={close} />}
        {!isNew && shown !== undefined && (
          <TargetForm key={shown.id} target={shown} onDone={close} />
        )}
        {!isNew && shown === undefined && <Notice title={t('notify.gone')} />}
      </SidePanel>
    </SettingsPage>
  )
}

type QuietHours = NonNullable<Notifications['quietHours']>

const usual = { start: '22:00', end: '07:00' }

/** Hours in which notifications wait. */
function QuietCard({ quietHours, isQuiet }: Notifications) {
  const { change, isBusy } = useSave({ stale: [keys.notifications] })
  const put = (next: QuietHours | null) =>
    unwrap(api.ext.notifications['quiet-hours'].put({ quietHours: next }))
  const set = (next: QuietHours | null) => change(put, [next, quietHours])
  return (
    <Card title={t('notify.quiet')}>
      <Setting
        id="notify.quietOn"
        value={onOff(quietHours !== null)}
        state={isQuiet && <StateLine tone="quiet">{t('notify.quietNow')}</StateLine>}
      >
        <Switch
          isOn={quietHours !== null}
          disabled={isBusy}
          onChange={(isOn) => set(isOn ? { ...usual, timeZoneId: browserZone() } : null)}
        />
      </Setting>
      {quietHours !== null && (
        <Hours
          key={`${quietHours.start} ${quietHours.end}`}
          quietHours={quietHours}
          isBusy={isBusy}
          onSet={set}
        />
      )}
    </Card>
  )
}

interface HoursProps {
  quietHours: QuietHours
  isBusy: boolean
  onSet: (next: QuietHours) => void
}

function Hours({ quietHours, isBusy, onSet }: HoursProps) {
  const [start, setStart] = useState(quietHours.start)
  const [end, setEnd] = useState(quietHours.end)
  const isChanged = start !== quietHours.start || end !== quietHours.end
  return (
    <Row
      title={t('notify.quietHours')}
      note={t('notify.quietZone', { zone: quietHours.timeZoneId })}
    >
      <Form
        onSubmit={() => onSet({ ...quietHours, start, end })}
        className="flex flex-wrap items-center gap-2"
      >
        <TimeSpan
          start={start}
          end={end}
          labels={{ start: t('notify.quietStart'), end: t('notify.quietEnd') }}
          onChange={(span) => {
            setStart(span.start ?? start)
            setEnd(span.end ?? end)
          }}
        />
        {isChanged && (
          <Button type="submit" disabled={isBusy || start === end}>
            {t('notify.save')}
          </Button>
        )}
      </Form>
    </Row>
  )
}

/** The last notifications: when, about what, to whom, and how each ended. */
function HistoryCard() {
  const read = api.ext.notifications.history.get
  const key = [...keys.notifications, 'history']
  const { data, error } = useAccountRead(key, read, { refetchInterval: refreshMs })
  const now = useNow(30_000)
  return (
    <Card title={t('notify.history')} note={t('notify.historyNote')}>
      {data === undefined && <Pending error={error} rows={3} />}
      {data?.entries.length === 0 && <Nothing title={t('notify.neverSent')} />}
      <ol aria-label={t('notify.history')} className="divide-y divide-line">
        {data?.entries.map(({ atUtc, kind, title, target, error: reason }) => (
          <li key={`${atUtc} ${target} ${title}`} className="flex gap-2.5 py-2.5">
            <span className="mt-[7px] flex flex-none">
              <Dot tone={reason === null ? 'good' : 'bad'} />
            </span>
            <span className="min-w-0 flex-1 wrap-anywhere">
              {title}
              <span className="block text-small text-dim">
                {t(`notify.about.${kind}`)} · {target} ·{' '}
                {reason === null
                  ? t('notify.delivered')
                  : t('notify.givenUp', { reason: reasonText(reason) })}
              </span>
            </span>
            <Time at={atUtc} now={now} className="text-small text-dim" />
          </li>
        ))}
      </ol>
    </Card>
  )
}

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
function RulesCard({ rules, language }: Notifications) {
  const put = (next: Rules) => unwrap(api.ext.notifications.rules.put(next))
  const member = <Name extends keyof Rules>(name: Name) => ({
    value: rules[name],
    write: (value: Rules[Name]) => put({ ...rules, [name]: value }),
  })
  const { failedJobs, finishedJobs } = rules
  const failure: Failures = failedJobs === null ? 'all' : failedJobs.length > 0 ? 'some' : 'none'
  const known: readonly (number | null)[] = days
  const choices = [...new Set([...known, rules.diskDays])].toSorted((a, b) => (a ?? 0) - (b ?? 0))
  const jobs = (name: 'failedJobs' | 'finishedJobs', label: Key, chosen: readonly JobType[]) => (
    <JobTypes label={t(label)} chosen={chosen} write={(next) => put({ ...rules, [name]: next })} />
  )
  return (
    <Card title={t('notify.rules')} note={t('notify.rulesNote')} stale={[keys.notifications]}>
      <ChoiceSetting
        id="notify.language"
        isFlat
        value={language}
        standard="en"
        options={optionsOf(locales, (value) => languageNames[value])}
        write={(next) => unwrap(api.ext.notifications.language.put({ language: next }))}
      />
      {flags.map(([id, rule]) => (
        <SwitchSetting key={id} id={id} {...member(rule)} />
      ))}
      <ChoiceSetting
        id="notify.disk"
        {...member('diskDays')}
        options={optionsOf(choices, (value) =>
          value === null ? t('notify.never') : tn('notify.daysBefore', value),
        )}
      />
      <ChoiceSetting
        id="notify.failedJobs"
        value={failure}
        options={optionsOf(failures, (value) => t(`notify.jobs.${value}`))}
        // Undo stores the types that were chosen.
        write={(value) =>
          put({ ...rules, failedJobs: value === failure ? failedJobs : jobsOf[value] })
        }
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
  write: (chosen: readonly JobType[]) => Promise<unknown>
}

/** Types of jobs, each of which can be chosen. */
function JobTypes({ label, chosen, write }: JobTypesProps) {
  const { change, isBusy } = useSaving()
  const isChosen = (type: JobType) => chosen.includes(type)
  const toggle = (type: JobType) => {
    const next = isChosen(type) ? chosen.filter((one) => one !== type) : [...chosen, type]
    change(write, [next, chosen])
  }
  return (
    <div role="group" aria-label={label} className="mt-2 flex w-full flex-wrap gap-1.5">
      {types.map(({ type, label: name }) => (
        <button
          key={type}
          type="button"
          aria-pressed={isChosen(type)}
          disabled={isBusy}
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
