import { useId } from 'react'
import type { ChoiceProps } from './choice.tsx'

/** A labelled select of a form; a value that is no longer an option is kept. */
export function Select<T extends string>(props: Required<ChoiceProps<T>>) {
  const { label, value, options, disabled, onChange } = props
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-small font-medium">
        {label}
      </label>
      <select
        id={id}
        className="control h-[38px] w-full"
        value={value}
        disabled={disabled}
        onChange={({ target }) => {
          const chosen = options.find((option) => option.value === target.value)
          if (chosen !== undefined) onChange(chosen.value)
        }}
      >
        {options.every((option) => option.value !== value) && (
          <option value={value}>{value}</option>
        )}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}
