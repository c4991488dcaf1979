import { clsx } from 'clsx'
import { useControlLabel } from './control-label.ts'

interface SwitchProps {
  /** Omitted where the setting's title is the label. */
  label?: string
  isOn: boolean
  onChange: (isOn: boolean) => void
  disabled?: boolean
}

/** Saves immediately; its state is always visible. */
export function Switch({ label, isOn, onChange, disabled = false }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={useControlLabel(label)}
      disabled={disabled}
      onClick={() => onChange(!isOn)}
      className={clsx(
        'relative h-6 w-10 flex-none rounded-full border transition-colors disabled:opacity-50',
        isOn ? 'border-transparent bg-cache' : 'border-edge bg-raise',
      )}
    >
      <span
        className={clsx(
          'absolute top-[3px] left-[3px] size-4 rounded-full transition-transform',
          isOn ? 'translate-x-4 bg-on-accent' : 'bg-edge',
        )}
      />
    </button>
  )
}
