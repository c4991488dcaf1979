import { useState } from 'react'
import type { CustomSchedule } from '../../../core/settings/schedule-settings.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { useNextRuns, type Schedule } from '../../app/schedule-queries.ts'
import { useNow } from '../../app/clock.ts'
import { useSave } from '../../app/use-save.ts'
import { browserZone, momentText, weekdayText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { Button, Choice, Switch, optionsOf } from '../form-controls.tsx'
import { TimeField } from '../moment-field.tsx'
import { StateLine } from '../card.tsx'
import { calendarOf, formOf, rhythms, type CalendarForm } from './calendar-form.ts'

const weekdays = [1, 2, 3, 4, 5, 6, 0] as const
const daysOfMonth = Array.from({ length: 28 }, (_, day) => day + 1)

interface PartProps {
  form: CalendarForm
  change: (part: Partial<CalendarForm>) => void
}

/** The calendar of a service. */
export function CalendarEditor({ schedule }: { schedule: Schedule }) {
  const { key, customSchedule } = schedule
  const { change, isBusy } = useSave({ stale: [keys.schedules] })
  const service = api.system.schedules({ serviceKey: key })
  const put = (value: typeof customSchedule) =>
    unwrap(service.customSchedule.put({ customSchedule: value }))
  return (
    <CalendarInput
      held={customSchedule}
      isBusy={isBusy}
      onSave={(value) => change(put, [value, customSchedule])}
    />
  )
}

interface CalendarInputProps {
  /** Null: an interval is used. */
  held: CustomSchedule | null
  isBusy?: boolean
  onSave: (calendar: CustomSchedule | null) => void
}

/** Sets days, time, zone and window; shows the next runs before they are saved. */
export function CalendarInput({ held, isBusy = false, onSave }: CalendarInputProps) {
  const [form, setForm] = useState(() => formOf(held, browserZone()))
  const change = (part: Partial<CalendarForm>) => setForm({ ...form, ...part })
  const calendar = calendarOf(form)
  const next = useNextRuns(calendar)
  const isRefused = next.data === undefined || next.data.problem !== null
  return (
    <div className="space-y-3">
      <Days form={form} change={change} />
      <Window form={form} change={change} />
      <NextRuns runs={next.data?.runs ?? []} problem={next.data?.problem ?? null} />
      <div className="flex flex-wrap gap-2">
        <Button disabled={isBusy || isRefused} onClick={() => onSave(calendar)}>
          {t('schedules.saveCalendar')}
        </Button>
        {held !== null && (
          <Button disabled={isBusy} onClick={() => onSave(null)}>
            {t('schedules.useInterval')}
          </Button>
        )}
      </div>
    </div>
  )
}

const Days = ({ form, change }: PartProps) => (
  <div className="flex flex-wrap items-center gap-2">
    <Choice
      label={t('schedules.days')}
      value={form.rhythm}
      options={optionsOf(rhythms, (rhythm) => t(`schedules.rhythm.${rhythm}`))}
      onChange={(rhythm) => change({ rhythm, expression: calendarOf(form).expression })}
    />
    {form.rhythm === 'weekly' && (
      <Choice
        label={t('schedules.weekday')}
        value={form.weekday}
        options={optionsOf(weekdays, weekdayText)}
        onChange={(weekday) => change({ weekday })}
      />
    )}
    {form.rhythm === 'monthly' && (
      <Choice
        label={t('schedules.dayOfMonth')}
        value={form.dayOfMonth}
        options={optionsOf(daysOfMonth, (day) => `${day}.`)}
        onChange={(dayOfMonth) => change({ dayOfMonth })}
      />
    )}
    {form.rhythm === 'cron' ? (
      <input
        aria-label={t('schedules.expression')}
        title={t('schedules.expression')}
        className="control"
        value={form.expression}
        onChange={({ target }) => change({ expression: target.value })}
      />
    ) : (
      <TimeField
        className="control"
        label={t('schedules.time')}
        value={form.time}
        onChange={(time) => change({ time })}
      />
    )}
    <input
      aria-label={t('schedules.zone')}
      title={t('schedules.zone')}
      className="control"
      value={form.zone}
      onChange={({ target }) => change({ zone: target.value })}
    />
  </div>
)

const Window = ({ form, change }: PartProps) => (
  <div className="flex flex-wrap items-center gap-2">
    <Switch
      label={t('schedules.window')}
      isOn={form.hasWindow}
      onChange={(hasWindow) => change({ hasWindow })}
    />
    <span className="text-small" aria-hidden>
      {t('schedules.window')}
    </span>
    {form.hasWindow && (
      <>
        <TimeField
          className="control"
          label={t('schedules.from')}
          value={form.from}
          onChange={(from) => change({ from })}
        />
        <TimeField
          className="control"
          label={t('schedules.until')}
          value={form.until}
          onChange={(until) => change({ until })}
        />
      </>
    )}
  </div>
)

function NextRuns({ runs, problem }: { runs: readonly string[]; problem: string | null }) {
  const now = useNow(60_000)
  if (problem !== null) return <StateLine tone="attention">{problem}</StateLine>
  const times = runs.map((at) => momentText(new Date(at), now))
  return (
    <p className="text-small text-dim" aria-live="polite">
      {t('schedules.nextRuns', { times: times.join(' · ') })}
    </p>
  )
}
