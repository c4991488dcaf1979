import { clsx } from 'clsx'
import { t, type Key } from '../locales/translate.ts'
import { useControlLabel } from './control-label.ts'

export interface ChoiceProps<T extends string> {
  /** Omitted where the setting's title is the label. */
  label?: string
  value: T
  options: readonly { value: NoInfer<T>; label: string }[]
  onChange: (value: NoInfer<T>) => void
  disabled?: boolean
}

/** Options with these texts. */
export const choices = <T extends string>(texts: Readonly<Record<T, Key>>) =>
  // The keys of the literal.
  (Object.keys(texts) as T[]).map((value) => ({ value, label: t(texts[value]) }))

/** Numbers to choose from; the current one, which may come from elsewhere, is one of them. */
export const numberOptions = (
  known: readonly number[],
  current: number,
  text: (value: number) => string,
) =>
  [...new Set([...known, current])]
    .toSorted((a, b) => a - b)
    .map((value) => ({ value: String(value), label: text(value) }))

/** A select list, using the platform's own control. */
export function Choice<T extends string>(props: ChoiceProps<T> & { className?: string }) {
  const { label, value, options, onChange, disabled = false, className } = props
  const isListed = options.some((option) => option.value === value)
  return (
    <select
      aria-label={useControlLabel(label)}
      className={clsx('control max-w-full', className)}
      value={value}
      disabled={disabled}
      onChange={({ target }) => {
        const chosen = options.find((option) => option.value === target.value)
        if (chosen !== undefined) onChange(chosen.value)
      }}
    >
      {!isListed && <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}
