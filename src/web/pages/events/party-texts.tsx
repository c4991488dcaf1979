import { Plus, X } from 'lucide-react'
import { useId, useState } from 'react'
import { hostKey, saveParty, type PartySettings } from '../../api/party-queries.ts'
import { useSave } from '../../app/use-save.ts'
import { Button, Field, Form, Switch } from '../../components/form-controls.tsx'
import { MomentField } from '../../components/moment-field.tsx'
import { inputValue, momentOf } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'

/** As on the server. */
const most = { rules: 2000, wifi: 300, line: 120, lines: 50 }

interface PartyTextsProps {
  id: number
  settings: PartySettings
  onDone: () => void
}

/** What the host writes for the guests. */
export function PartyTexts({ id, settings, onDone }: PartyTextsProps) {
  const [draft, setDraft] = useState(settings)
  const { save, isBusy } = useSave({ stale: [hostKey(id)] })
  const change = (part: Partial<PartySettings>) => setDraft((before) => ({ ...before, ...part }))
  const lines = draft.timetable.filter(({ text }) => text.trim() !== '')
  const submit = () =>
    save({
      run: () => saveParty(id, { ...draft, timetable: lines }),
      done: t('party.wasSaved'),
      after: onDone,
    })
  return (
    <Form onSubmit={submit} className="space-y-4">
      <LongField
        label={t('party.wifi')}
        value={draft.wifi}
        max={most.wifi}
        rows={2}
        onChange={(wifi) => change({ wifi })}
      />
      <LongField
        label={t('party.rules')}
        value={draft.rules}
        max={most.rules}
        rows={4}
        onChange={(rules) => change({ rules })}
      />
      <Timetable lines={draft.timetable} onChange={(timetable) => change({ timetable })} />
      <div className="flex items-center gap-3">
        <span className="min-w-0 flex-1">
          <span className="font-medium">{t('party.allowNames')}</span>
          <span className="block text-small text-dim">{t('party.allowNamesText')}</span>
        </span>
        <Switch
          label={t('party.allowNames')}
          isOn={draft.showsNames}
          onChange={(showsNames) => change({ showsNames })}
        />
      </div>
      <Button type="submit" className="primary w-full" disabled={isBusy}>
        {t('party.save')}
      </Button>
    </Form>
  )
}

interface LongFieldProps {
  label: string
  value: string
  max: number
  rows: number
  onChange: (value: string) => void
}

function LongField({ label, value, max, rows, onChange }: LongFieldProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-small font-medium">
        {label}
      </label>
      <textarea
        id={id}
        className="input h-auto py-2"
        rows={rows}
        maxLength={max}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  )
}

type Line = PartySettings['timetable'][number]

interface TimetableProps {
  lines: readonly Line[]
  onChange: (lines: Line[]) => void
}

function Timetable({ lines, onChange }: TimetableProps) {
  const set = (index: number, part: Partial<Line>) =>
    onChange(lines.map((line, at) => (at === index ? { ...line, ...part } : line)))
  const add = () =>
    onChange([...lines, { atUtc: lines.at(-1)?.atUtc ?? new Date().toISOString(), text: '' }])
  return (
    <fieldset className="space-y-4">
      <legend className="mb-1.5 text-small font-medium">{t('party.agenda')}</legend>
      {lines.map((line, index) => {
        const number = index + 1
        return (
          // oxlint-disable-next-line react/no-array-index-key -- all else of a line can be edited
          <div key={index} role="group" aria-label={t('party.line', { number })}>
            <MomentField
              label={`${t('party.linesTime')} ${number}`}
              value={inputValue(new Date(line.atUtc))}
              onChange={(value) => set(index, { atUtc: momentOf(value).toISOString() })}
            />
            <div className="mt-2 flex items-end gap-2">
              <div className="flex-1">
                <Field
                  label={`${t('party.linesText')} ${number}`}
                  maxLength={most.line}
                  value={line.text}
                  onChange={({ target }) => set(index, { text: target.value })}
                />
              </div>
              <Button
                className="mb-1.5 h-[38px] px-2.5"
                aria-label={t('party.removeLine', { number })}
                onClick={() => onChange(lines.filter((_, at) => at !== index))}
              >
                <X size={15} />
              </Button>
            </div>
          </div>
        )
      })}
      {lines.length < most.lines && (
        <Button onClick={add}>
          <Plus size={15} />
          {t('party.addLine')}
        </Button>
      )}
    </fieldset>
  )
}
