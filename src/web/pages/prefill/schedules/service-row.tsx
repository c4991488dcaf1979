import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Choice } from '../../../components/choice.tsx'
import { Segments } from '../../../components/segments.tsx'
import { Setting, StateLine } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { Tick } from '../../../components/tick.tsx'
import { useNow } from '../../../app/use-now.ts'
import { agoText, durationText } from '../../../format/times.ts'
import { t, tn, type Key } from '../../../locales/translate.ts'
import { platformName } from '../../settings/platform-name.ts'
import { Connections } from '../connections.tsx'
import { facts, type Platform, type Preset } from '../platforms.ts'
import { GameIds } from './game-ids.tsx'
import type { PlannedRun, ScheduledService } from './queries.ts'
import { Timing } from './timing.tsx'

interface ServiceRowProps {
  platform: Platform
  held: ScheduledService
  planned: PlannedRun | null
  isBusy: boolean
  onChange: (next: ScheduledService) => void
}

/** Popular games of a run unless told otherwise. */
const topUsual = 50
const topCounts = [10, 25, 50, 100, 200]
const presetLabels: Readonly<Record<Preset, Key>> = {
  All: 'prefill.runAll',
  Recent: 'prefill.runRecent',
  Top: 'prefill.presetTop',
}
const systems = [
  ['Windows', 'Windows'],
  ['Linux', 'Linux'],
  ['Macos', 'macOS'],
] as const

/** When one platform is prefilled, and what: the state at rest, the settings on demand. */
export function ServiceRow({ platform, held, planned, isBusy, onChange }: ServiceRowProps) {
  const [isOpen, setIsOpen] = useState(false)
  const name = platformName(platform)
  const change = (part: Partial<ScheduledService>) => onChange({ ...held, ...part })
  const part = { platform, held, isBusy, onChange: change }
  return (
    <>
      <Setting title={name} note={<State held={held} planned={planned} />}>
        <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {t(isOpen ? 'action.close' : 'prefill.edit')}
          <span className="sr-only"> {name}</span>
        </Button>
        <Switch
          label={t('prefill.scheduleOf', { platform: name })}
          isOn={held.enabled}
          disabled={isBusy}
          onChange={(enabled) => change({ enabled })}
        />
      </Setting>
      {isOpen && (
        <div role="group" aria-label={name} className="my-2 rounded-control bg-bg px-4 py-3">
          <Timing held={held} isBusy={isBusy} onChange={change} />
          <What {...part} />
          <How {...part} />
        </div>
      )}
    </>
  )
}

/** What a run takes, in a few words. */
function whatText({ preset, topCount, selectedAppIds }: ScheduledService): string {
  if (selectedAppIds.length > 0) return tn('prefill.onlyChosen', selectedAppIds.length)
  return t(presetLabels[preset]) + (preset === 'Top' ? ` ${topCount ?? topUsual}` : '')
}

function State({ held, planned }: Pick<ServiceRowProps, 'held' | 'planned'>) {
  const now = useNow(30_000)
  if (!held.enabled) return <StateLine tone="quiet">{t('prefill.scheduleOff')}</StateLine>
  const last = planned?.lastRunUtc ?? null
  const next = planned?.nextRunUtc ?? null
  const seconds = next === null ? null : (Date.parse(next) - now.getTime()) / 1000
  const parts = [
    whatText(held),
    seconds === null
      ? t('prefill.noNextRun')
      : t('prefill.nextRun', { time: durationText(Math.max(0, seconds)) }),
    last === null
      ? t('prefill.neverRan')
      : t('prefill.lastRan', { time: agoText(new Date(last), now) }),
  ]
  return <StateLine tone="good">{parts.join(' · ')}</StateLine>
}

type PartProps = Omit<ServiceRowProps, 'planned' | 'onChange'> & {
  onChange: (part: Partial<ScheduledService>) => void
}

function What({ platform, held, isBusy, onChange }: PartProps) {
  const { presets } = facts[platform]
  const count = held.selectedAppIds.length
  return (
    <>
      <Setting
        title={t('prefill.choose')}
        note={count > 0 ? tn('prefill.onlyChosen', count) : undefined}
      >
        <Segments
          value={held.preset}
          disabled={isBusy || count > 0}
          options={presets.map((value) => ({ value, label: t(presetLabels[value]) }))}
          onChange={(preset) => onChange({ preset, topCount: preset === 'Top' ? topUsual : null })}
        />
        {held.preset === 'Top' && count === 0 && (
          <Choice
            label={t('prefill.topCount')}
            value={String(held.topCount ?? topUsual)}
            disabled={isBusy}
            options={topCounts.map((value) => ({
              value: String(value),
              label: tn('count.games', value),
            }))}
            onChange={(value) => onChange({ topCount: Number(value) })}
          />
        )}
      </Setting>
      <GameIds
        ids={held.selectedAppIds}
        isBusy={isBusy}
        onChange={(selectedAppIds) => onChange({ selectedAppIds })}
      />
    </>
  )
}

function How({ platform, held, isBusy, onChange }: PartProps) {
  const { mode, value } = held.maxConcurrency
  return (
    <>
      {facts[platform].hasSystems && (
        <Setting title={t('prefill.systems')}>
          {systems.map(([system, label]) => (
            <span key={system} className="flex items-center gap-2 pl-2.5">
              <Tick
                label={label}
                disabled={isBusy}
                state={held.operatingSystems.includes(system)}
                onToggle={() =>
                  onChange({
                    operatingSystems: systems
                      .map(([one]) => one)
                      .filter((one) => (one === system) !== held.operatingSystems.includes(one)),
                  })
                }
              />
              {label}
            </span>
          ))}
        </Setting>
      )}
      <Connections
        value={mode === 'Auto' ? null : value}
        disabled={isBusy}
        onChange={(count) =>
          onChange({
            maxConcurrency:
              count === null ? { mode: 'Auto', value: null } : { mode: 'Fixed', value: count },
          })
        }
      />
      <Setting title={t('prefill.force')} note={t('prefill.forceNote')}>
        <Switch isOn={held.force} disabled={isBusy} onChange={(force) => onChange({ force })} />
      </Setting>
    </>
  )
}
