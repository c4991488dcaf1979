import { clsx } from 'clsx'
import type { ChoiceProps } from './choice.tsx'
import { useControlLabel } from './control-label.ts'

/** A few choices side by side, with the current one visible. */
export function Segments<T extends string>(props: ChoiceProps<T>) {
  const { label, value, options, onChange, disabled = false } = props
  return (
    <div
      role="group"
      aria-label={useControlLabel(label)}
      className="inline-flex rounded-control bg-raise p-0.5"
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          disabled={disabled}
          onClick={() => onChange(option.value)}
          className={clsx(
            'rounded-[6px] px-2.5 py-[3px] text-small disabled:opacity-60',
            option.value === value ? 'bg-panel font-medium text-text' : 'text-dim hover:text-text',
          )}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}
