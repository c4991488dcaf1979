import { clsx } from 'clsx'
import { useState } from 'react'
import type { CalendarEvent } from '../../api/event-queries.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { Field, Button, Form } from '../../components/form-controls.tsx'
import { MomentField } from '../../components/moment-field.tsx'
import { dayIn, inputValue, momentOf } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { useSave } from '../../app/use-save.ts'
import { hues } from './own-hues.ts'
import { addDays, dayKey } from '../../app/events/month.ts'

/** As on the server. */
const nameMax = 200
const descriptionMax = 1000
const firstHour = 18
const hourMs = 3_600_000

interface Draft {
  name: string
  description: string
  start: string
  end: string
  colorIndex: number
}

/** A new event begins in the evening and ends the next day; today it begins with the next hour. */
export function draftFor(day: Date, now: Date): Draft {
  const isToday = dayKey(day) === dayIn(now)
  const evening = momentOf(`${dayKey(day)}T${firstHour}:00`)
  const nextHour = new Date(Math.ceil(now.getTime() / hourMs) * hourMs)
  const start = inputValue(isToday && nextHour > evening ? nextHour : evening)
  const [, time] = start.split('T')
  return {
    name: '',
    description: '',
    start,
    end: `${dayKey(addDays(day, 1))}T${time}`,
    colorIndex: 1,
  }
}

export const draftOf = (event: CalendarEvent): Draft => ({
  name: event.name,
  description: event.description ?? '',
  start: inputValue(new Date(event.startTimeUtc)),
  end: inputValue(new Date(event.endTimeUtc)),
  colorIndex: event.colorIndex,
})

/** An unchanged time keeps the clock of who has set it: another zone must not move whole days. */
const localOf = (value: string, utc: string, local: string): string =>
  value === inputValue(new Date(utc)) ? local : value

const bodyOf = (
  { name, description, start, end, colorIndex }: Draft,
  event: CalendarEvent | null,
) => ({
  name: name.trim(),
  description: description.trim() === '' ? null : description.trim(),
  startTime: momentOf(start).getTime() / 1000,
  endTime: momentOf(end).getTime() / 1000,
  startTimeLocal: event ? localOf(start, event.startTimeUtc, event.startTimeLocal) : start,
  endTimeLocal: event ? localOf(end, event.endTimeUtc, event.endTimeLocal) : end,
  colorIndex,
})

interface EventFormProps {
  draft: Draft
  /** Null for a new event. */
  event: CalendarEvent | null
  onDone: () => void
}

/** Creates or changes an event; a change can be undone. */
export function EventForm({ draft: first, event, onDone }: EventFormProps) {
  const [draft, setDraft] = useState(first)
  const { save, isBusy } = useSave({ stale: [keys.events] })
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const isInOrder = momentOf(draft.end) > momentOf(draft.start)
  const isComplete = draft.name.trim() !== '' && isInOrder
  const submit = () => {
    const { name } = draft
    if (event === null) {
      const run = () => unwrap(api.events.post(bodyOf(draft, null)))
      save({ run, done: t('events.wasCreated', { name }), after: onDone })
      return
    }
    const put = (body: Draft) => unwrap(api.events({ id: event.id }).put(bodyOf(body, event)))
    save({
      run: () => put(draft),
      undo: () => put(draftOf(event)),
      done: t('events.wasChanged', { name }),
      after: onDone,
    })
  }
  return (
    <Form onSubmit={submit} className="space-y-4">
      <Field
        label={t('events.name')}
        name="event-name"
        autoComplete="off"
        maxLength={nameMax}
        required
        autoFocus
        value={draft.name}
        onChange={({ target }) => change({ name: target.value })}
      />
      <div className="grid gap-4">
        <MomentField
          label={t('events.start')}
          value={draft.start}
          onChange={(start) => change({ start })}
        />
        <MomentField
          label={t('events.end')}
          value={draft.end}
          problem={isInOrder ? undefined : t('range.order')}
          onChange={(end) => change({ end })}
        />
      </div>
      <fieldset>
        <legend className="mb-1.5 text-small font-medium">{t('events.colour')}</legend>
        <div className="flex flex-wrap gap-2">
          {hues.map((index) => (
            <label
              key={index}
              data-hue={index}
              title={t('events.colourNumber', { number: index })}
              className={clsx(
                'hue grid size-8 cursor-pointer place-items-center rounded-full border-2 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-cache',
                draft.colorIndex === index ? 'border-(--hue)' : 'border-transparent',
              )}
            >
              <input
                type="radio"
                name="event-colour"
                className="sr-only"
                aria-label={t('events.colourNumber', { number: index })}
                checked={draft.colorIndex === index}
                onChange={() => change({ colorIndex: index })}
              />
              <span className="size-5 rounded-full bg-(--hue)" />
            </label>
          ))}
        </div>
      </fieldset>
      <label className="block text-small font-medium">
        {t('events.description')}
        <textarea
          className="input mt-1.5 h-[92px] resize-y py-2 text-[14px] font-normal"
          maxLength={descriptionMax}
          value={draft.description}
          onChange={({ target }) => change({ description: target.value })}
        />
      </label>
      <Button type="submit" className="primary w-full" disabled={isBusy || !isComplete}>
        {t(event === null ? 'events.create' : 'events.save')}
      </Button>
    </Form>
  )
}
