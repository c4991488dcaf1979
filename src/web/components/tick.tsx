import { clsx } from 'clsx'
import { Check, Minus } from 'lucide-react'

interface TickProps {
  label: string
  /** `mixed`: partly selected. */
  state: boolean | 'mixed'
  disabled?: boolean
  onToggle: () => void
}

/** A checkbox, also inside a row: clicks and keys on it do not open the row. */
export function Tick({ label, state, disabled = false, onToggle }: TickProps) {
  const Shape = state === 'mixed' ? Minus : Check
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked={state}
      aria-label={label}
      disabled={disabled}
      onClick={onToggle}
      // Enter would open the row.
      onKeyDown={(event) => event.key === 'Enter' && event.stopPropagation()}
      className="-m-2.5 grid size-10 place-items-center disabled:opacity-40"
    >
      <span
        className={clsx(
          'grid size-[18px] place-items-center rounded-[5px] border',
          state === false ? 'border-edge' : 'border-transparent bg-cache text-on-accent',
        )}
      >
        {state !== false && <Shape size={13} strokeWidth={3} />}
      </span>
    </button>
  )
}
