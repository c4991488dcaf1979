import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Choice } from '../../../components/choice.tsx'
import { Field } from '../../../components/field.tsx'
import { Form } from '../../../components/form.tsx'
import { Segments } from '../../../components/segments.tsx'
import { Setting } from '../../../components/setting.tsx'
import { useConfig } from '../../../api/queries.ts'
import { t, tn } from '../../../locales/translate.ts'
import type { ScheduledService } from './queries.ts'

interface TimingProps {
  held: ScheduledService
  isBusy: boolean
  onChange: (part: Partial<ScheduledService>) => void
}

const hours = [6, 12, 24, 48, 72, 168]
const nightly = '0 4 * * *'

function intervalText(interval: number): string {
  if (interval === 0) return t('prefill.paused')
  return interval < 0 ? t('prefill.atStart') : tn('prefill.everyHours', interval)
}

/** By interval, or by a calendar expression with a window. */
export function Timing({ held, isBusy, onChange }: TimingProps) {
  const zone = useConfig().data?.timeZone ?? 'UTC'
  const { customSchedule, intervalHours } = held
  const usual = [-1, 0, ...hours]
  const shown = usual.includes(intervalHours) ? usual : [intervalHours, ...usual]
  const calendar = { expression: nightly, timeZoneId: zone, windowStart: null, windowEnd: null }
  return (
    <>
      <Setting title={t('prefill.when')}>
        <Segments
          value={customSchedule === null ? 'interval' : 'calendar'}
          disabled={isBusy}
          options={[
            { value: 'interval', label: t('prefill.byInterval') },
            { value: 'calendar', label: t('prefill.byCalendar') },
          ]}
          onChange={(way) => onChange({ customSchedule: way === 'interval' ? null : calendar })}
        />
        {customSchedule === null && (
          <Choice
            label={t('prefill.interval')}
            value={String(intervalHours)}
            disabled={isBusy}
            options={shown.map((hour) => ({ value: String(hour), label: intervalText(hour) }))}
            onChange={(value) => onChange({ intervalHours: Number(value) })}
          />
        )}
      </Setting>
      {customSchedule !== null && (
        <Calendar
          // Another stored value replaces what is being typed.
          key={JSON.stringify(customSchedule)}
          held={customSchedule}
          isBusy={isBusy}
          onSave={(next) => onChange({ customSchedule: next })}
        />
      )}
    </>
  )
}

type CalendarSchedule = NonNullable<ScheduledService['customSchedule']>

interface CalendarProps {
  held: CalendarSchedule
  isBusy: boolean
  onSave: (next: CalendarSchedule) => void
}

function Calendar({ held, isBusy, onSave }: CalendarProps) {
  const [draft, setDraft] = useState(held)
  const isSame = JSON.stringify(draft) === JSON.stringify(held)
  const clock = (text: string) => (text === '' ? null : text)
  return (
    <Form
      onSubmit={() => onSave(draft)}
      className="grid items-start gap-3 border-b border-line py-3 sm:grid-cols-2 lg:grid-cols-4"
    >
      <Field
        label={t('prefill.cron')}
        hint={t('prefill.cronHint')}
        className="font-mono"
        spellCheck={false}
        required
        value={draft.expression}
        onChange={({ target }) => setDraft({ ...draft, expression: target.value })}
      />
      <Field
        label={t('prefill.zone')}
        spellCheck={false}
        required
        value={draft.timeZoneId}
        onChange={({ target }) => setDraft({ ...draft, timeZoneId: target.value })}
      />
      <Field
        label={t('prefill.windowStart')}
        hint={t('prefill.windowHint')}
        type="time"
        value={draft.windowStart ?? ''}
        onChange={({ target }) => setDraft({ ...draft, windowStart: clock(target.value) })}
      />
      <Field
        label={t('prefill.windowEnd')}
        type="time"
        value={draft.windowEnd ?? ''}
        onChange={({ target }) => setDraft({ ...draft, windowEnd: clock(target.value) })}
      />
      <div>
        <Button type="submit" disabled={isBusy || isSame}>
          {t('prefill.save')}
        </Button>
      </div>
    </Form>
  )
}
