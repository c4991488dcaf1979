import { useState } from 'react'
import { keys } from '../../../api/client.ts'
import { useEvents } from '../../../api/event-queries.ts'
import { orderEvents, stateOf } from '../../../app/events/state.ts'
import { useNow } from '../../../app/clock.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button, choices, Form, Segments } from '../../../components/form-controls.tsx'
import { Card } from '../../../components/card.tsx'
import { SwitchSetting, Setting } from '../../../components/setting-controls.tsx'
import { MomentInput, TimeSpan } from '../../../components/moment-field.tsx'
import { dueText, inputValue, momentOf } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { saveOptions, type Options, type ReadyBoard } from './queries.ts'

/** Hours of a first choice: the night. */
const usualHours = { start: '01:00', end: '09:00' }
/** Time of day of a first choice. */
const usualTime = '18:00'
const dayMs = 86_400_000

/** The moment, and when games may be fetched. */
export function OptionsCard({ board }: { board: ReadyBoard }) {
  const saving = useSave({ stale: [keys.prefill] })
  const { dueAtUtc, hours, fetchesUpdates } = board
  const change = (next: Options, before: Options) => saving.change(saveOptions, [next, before])
  return (
    <Card title={t('ready.when')}>
      <Setting id="ready.due" standard={null}>
        <DueInput
          key={dueAtUtc}
          dueAtUtc={dueAtUtc}
          isBusy={saving.isBusy}
          onChange={(next) => change({ dueAtUtc: next }, { dueAtUtc })}
        />
      </Setting>
      <Setting id="ready.hours" {...(hours === null && { value: t('ready.anyTime') })}>
        <Segments
          value={hours === null ? 'any' : 'some'}
          disabled={saving.isBusy}
          options={choices({ any: 'ready.anyTime', some: 'ready.onlyBetween' })}
          onChange={(way) => change({ hours: way === 'any' ? null : usualHours }, { hours })}
        />
        {hours !== null && (
          <HoursInput
            key={`${hours.start} ${hours.end}`}
            hours={hours}
            isBusy={saving.isBusy}
            onChange={(next) => change({ hours: next }, { hours })}
          />
        )}
      </Setting>
      <SwitchSetting
        id="ready.updates"
        value={fetchesUpdates}
        write={(isOn) => saveOptions({ fetchesUpdates: isOn })}
        saving={saving}
      />
    </Card>
  )
}

interface DueInputProps {
  dueAtUtc: string | null
  isBusy: boolean
  onChange: (dueAtUtc: string | null) => void
}

/** A date and time, or the start of the next event. */
function DueInput({ dueAtUtc, isBusy, onChange }: DueInputProps) {
  const now = useNow(60_000)
  const shown = dueAtUtc === null ? null : inputValue(new Date(dueAtUtc))
  const tomorrow = inputValue(new Date(now.getTime() + dayMs)).slice(0, 'YYYY-MM-DD'.length)
  const [text, setText] = useState(shown ?? `${tomorrow}T${usualTime}`)
  const [next] = orderEvents(useEvents().data ?? [], now).filter(
    (event) => stateOf(event, now) === 'upcoming',
  )
  const due = momentOf(text)
  const isMoment = !Number.isNaN(due.getTime())
  const save = () => isMoment && onChange(due.toISOString())
  return (
    <Form onSubmit={save} className="flex flex-wrap items-center gap-2">
      {next !== undefined && Date.parse(next.startTimeUtc) !== Date.parse(dueAtUtc ?? '') && (
        <Button disabled={isBusy} onClick={() => onChange(next.startTimeUtc)}>
          {t('ready.startOf', {
            event: next.name,
            time: dueText(new Date(next.startTimeUtc), now),
          })}
        </Button>
      )}
      <MomentInput label={t('ready.due')} value={text} onChange={setText} />
      <Button type="submit" disabled={isBusy || !isMoment || text === shown}>
        {t('prefill.save')}
      </Button>
      {dueAtUtc !== null && (
        <Button disabled={isBusy} onClick={() => onChange(null)}>
          {t('ready.noDue')}
        </Button>
      )}
    </Form>
  )
}

interface HoursInputProps {
  hours: typeof usualHours
  isBusy: boolean
  onChange: (hours: typeof usualHours) => void
}

function HoursInput({ hours, isBusy, onChange }: HoursInputProps) {
  const [span, setSpan] = useState(hours)
  const isWhole = span.start !== '' && span.end !== '' && span.start !== span.end
  const isChanged = span.start !== hours.start || span.end !== hours.end
  return (
    <Form onSubmit={() => onChange(span)} className="flex flex-wrap items-center gap-2">
      <TimeSpan
        {...span}
        labels={{ start: t('prefill.windowStart'), end: t('prefill.windowEnd') }}
        onChange={(part) => setSpan({ ...span, ...part })}
      />
      <Button type="submit" disabled={isBusy || !isWhole || !isChanged}>
        {t('prefill.save')}
      </Button>
    </Form>
  )
}
