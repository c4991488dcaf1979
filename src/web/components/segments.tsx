import { clsx } from 'clsx'

interface SegmentsProps<T extends string> {
  label: string
  value: T
  options: readonly { value: NoInfer<T>; label: string }[]
  onChange: (value: NoInfer<T>) => void
}

/** A few choices side by side; the state is visible at rest. */
export function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>) {
  return (
    <div role="group" aria-label={label} className="inline-flex rounded-control bg-raise p-0.5">
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className={clsx(
            'rounded-[6px] px-2.5 py-[3px] text-small',
            option.value === value ? 'bg-panel font-medium text-text' : 'text-dim hover:text-text',
          )}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}
