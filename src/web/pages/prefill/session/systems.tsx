import { Tick } from '../../../components/form-controls.tsx'

export const systems = ['windows', 'linux', 'macos'] as const
export type System = (typeof systems)[number]

const names: Readonly<Record<System, string>> = {
  windows: 'Windows',
  linux: 'Linux',
  macos: 'macOS',
}

interface SystemsProps {
  value: readonly System[]
  disabled?: boolean
  /** The last one cannot be taken away. */
  isNeeded?: boolean
  onChange: (value: readonly System[]) => void
}

/** The operating systems whose versions of games are prefilled. */
export const Systems = ({ value, disabled = false, isNeeded, onChange }: SystemsProps) =>
  systems.map((system) => (
    <span key={system} className="flex items-center gap-2 pl-2.5">
      <Tick
        label={names[system]}
        disabled={disabled || (isNeeded === true && value.length === 1 && value[0] === system)}
        state={value.includes(system)}
        onToggle={() => onChange(systems.filter((one) => (one === system) !== value.includes(one)))}
      />
      {names[system]}
    </span>
  ))
