import { platformFacts } from '../../../../platforms/platforms.ts'
import { Choice } from '../../../components/choice.tsx'
import { Segments } from '../../../components/segments.tsx'
import { onOff } from '../../../components/setting-controls.tsx'
import { Setting } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { Tick } from '../../../components/tick.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { CacheChoice } from '../cache-choice.tsx'
import { Connections } from '../connections.tsx'
import { GameIds } from './game-ids.tsx'
import type { NamedSchedule } from '../../../api/prefill-schedules.ts'
import { presetLabels, topUsual } from '../../../components/platforms/schedule-state.tsx'
import { Timing } from './timing.tsx'

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
const systems = [
  ['Windows', 'Windows'],
  ['Linux', 'Linux'],
  ['Macos', 'macOS'],
] as const

interface OptionsProps {
  held: NamedSchedule
  isBusy: boolean
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

function What({ held, isBusy, onChange }: OptionsProps) {
  const { presets } = platformFacts[held.platform]
  const count = held.selectedAppIds.length
  return (
    <>
      <Setting
        id="prefill.choose"
        value={t(presetLabels[held.preset])}
        state={count > 0 ? tn('prefill.onlyChosen', count) : undefined}
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

function How({ held, isBusy, onChange }: OptionsProps) {
  const { mode, value } = held.maxConcurrency
  return (
    <>
      {platformFacts[held.platform].hasSystems && (
        <Setting id="prefill.systems" value={held.operatingSystems.join(', ')}>
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
      <Setting id="prefill.connections" {...(mode === 'Auto' && { value: t('prefill.automatic') })}>
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
      </Setting>
      <CacheChoice
        value={held.cache ?? null}
        disabled={isBusy}
        onChange={(cache) => onChange({ cache })}
      />
      <Setting id="prefill.force" value={onOff(held.force)}>
        <Switch isOn={held.force} disabled={isBusy} onChange={(force) => onChange({ force })} />
      </Setting>
    </>
  )
}
