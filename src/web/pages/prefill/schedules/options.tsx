import { platformFacts } from '../../../../platforms/platforms.ts'
import {
  Choice,
  choices,
  Segments,
  Switch,
  Button,
  Form,
  optionsOf,
} from '../../../components/form-controls.tsx'
import { onOff, Setting } from '../../../components/setting-controls.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { CacheChoice, Connections, Systems, systems } from '../defaults.tsx'
import type { NamedSchedule } from '../../../api/prefill-schedules.ts'
import { presetKey, topUsual } from '../../../components/platforms/schedule-state.tsx'
import { useState } from 'react'
import { pastedIds } from '../import-ids.ts'
import { CalendarInput } from '../../../components/calendar/calendar-editor.tsx'

/** Settings of each schedule. */
export const scheduleControls = [
  'prefill.when',
  'prefill.choose',
  'prefill.chosen',
  'prefill.systems',
  'prefill.connections',
  'prefill.force',
] as const
const topCounts = [10, 25, 50, 100, 200]
const systemNames = { windows: 'Windows', linux: 'Linux', macos: 'Macos' } as const

/** All of it stands in a fieldset that is disabled while a change is stored. */
interface OptionsProps {
  held: NamedSchedule
  onChange: (part: Partial<NamedSchedule>) => void
}

/** When a schedule runs, what it takes, and how. */
export const Options = (props: OptionsProps) => (
  <>
    <Timing {...props} />
    <What {...props} />
    <How {...props} />
  </>
)

function What({ held, onChange }: OptionsProps) {
  const { presets } = platformFacts[held.platform]
  const count = held.selectedAppIds.length
  return (
    <>
      <Setting
        id="prefill.choose"
        value={t(presetKey(held.preset))}
        state={count > 0 ? tn('prefill.onlyChosen', count) : undefined}
      >
        <Segments
          value={held.preset}
          disabled={count > 0}
          options={optionsOf(presets, (value) => t(presetKey(value)))}
          onChange={(preset) => onChange({ preset, topCount: preset === 'Top' ? topUsual : null })}
        />
        {held.preset === 'Top' && count === 0 && (
          <Choice
            label={t('prefill.topCount')}
            value={held.topCount ?? topUsual}
            options={optionsOf(topCounts, (count) => tn('count.games', count))}
            onChange={(topCount) => onChange({ topCount })}
          />
        )}
      </Setting>
      <GameIds
        ids={held.selectedAppIds}
        onChange={(selectedAppIds) => onChange({ selectedAppIds })}
      />
    </>
  )
}

function How({ held, onChange }: OptionsProps) {
  const { mode, value } = held.maxConcurrency
  return (
    <>
      {platformFacts[held.platform].hasSystems && (
        <Setting id="prefill.systems" value={held.operatingSystems.join(', ')}>
          <Systems
            value={systems.filter((one) => held.operatingSystems.includes(systemNames[one]))}
            onChange={(next) => onChange({ operatingSystems: next.map((one) => systemNames[one]) })}
          />
        </Setting>
      )}
      <Setting id="prefill.connections" {...(mode === 'Auto' && { value: t('prefill.automatic') })}>
        <Connections
          value={mode === 'Auto' ? null : value}
          onChange={(count) =>
            onChange({
              maxConcurrency:
                count === null ? { mode: 'Auto', value: null } : { mode: 'Fixed', value: count },
            })
          }
        />
      </Setting>
      <CacheChoice value={held.cache ?? null} onChange={(cache) => onChange({ cache })} />
      <Setting id="prefill.force" value={onOff(held.force)}>
        <Switch isOn={held.force} onChange={(force) => onChange({ force })} />
      </Setting>
    </>
  )
}

/** Games by id; any of them replaces the preset. */
function GameIds({ ids, onChange }: { ids: readonly string[]; onChange: (ids: string[]) => void }) {
  const [isOpen, setIsOpen] = useState(false)
  const [text, setText] = useState('')
  const submit = () => {
    onChange(pastedIds(text))
    setIsOpen(false)
  }
  const open = () => {
    setText(ids.join(', '))
    setIsOpen(!isOpen)
  }
  return (
    <>
      <Setting
        id="prefill.chosen"
        {...(ids.length === 0 && { value: t('controls.none') })}
        state={ids.length === 0 ? undefined : tn('count.games', ids.length)}
      >
        <Button aria-expanded={isOpen} onClick={open}>
          {t('prefill.edit')}
        </Button>
      </Setting>
      {isOpen && (
        <Form onSubmit={submit} className="border-b border-line py-3">
          <textarea
            aria-label={t('prefill.importLabel')}
            className="input h-24 py-2 font-mono text-[13px]"
            placeholder="440, 570, 730"
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <Button type="submit" className="mt-2">
            {t('prefill.save')}
          </Button>
        </Form>
      )}
    </>
  )
}

const hours = [-1, 0, 6, 12, 24, 48, 72, 168]

function intervalText(interval: number): string {
  if (interval === 0) return t('prefill.paused')
  return interval < 0 ? t('prefill.atStart') : tn('prefill.everyHours', interval)
}

/** By interval, or by a calendar. */
function Timing({ held, onChange }: OptionsProps) {
  const { customSchedule, intervalHours } = held
  const [way, setWay] = useState(customSchedule === null ? 'interval' : 'calendar')
  const shown = hours.includes(intervalHours) ? hours : [intervalHours, ...hours]
  return (
    <>
      <Setting
        id="prefill.when"
        {...(way === 'interval' && { value: intervalText(intervalHours) })}
      >
        <Segments
          value={way}
          options={choices({ interval: 'prefill.byInterval', calendar: 'schedules.calendar' })}
          onChange={(next) => {
            setWay(next)
            if (next === 'interval' && customSchedule !== null) onChange({ customSchedule: null })
          }}
        />
        {way === 'interval' && (
          <Choice
            label={t('prefill.byInterval')}
            value={intervalHours}
            options={optionsOf(shown, intervalText)}
            onChange={(hours) => onChange({ intervalHours: hours })}
          />
        )}
      </Setting>
      {way === 'calendar' && (
        <div className="border-b border-line py-3">
          <CalendarInput
            held={customSchedule}
            onSave={(next) => {
              if (next === null) setWay('interval')
              onChange({ customSchedule: next })
            }}
          />
        </div>
      )}
    </>
  )
}
