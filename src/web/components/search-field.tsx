import { clsx } from 'clsx'
import { Search } from 'lucide-react'

interface SearchFieldProps {
  /** For screen readers; visible if there is no hint. */
  label: string
  hint?: string
  value: string
  onChange: (text: string) => void
  className?: string
}

const lettersMax = 200

/** A search field that filters a list. */
export function SearchField({ label, hint, value, onChange, className }: SearchFieldProps) {
  return (
    <label className={clsx('control min-w-0 flex-1 focus-within:border-edge', className)}>
      <Search size={15} className="flex-none text-dim" />
      <span className="sr-only">{label}</span>
      <input
        type="search"
        className="min-w-0 flex-1 bg-transparent outline-none placeholder:text-dim"
        placeholder={hint ?? label}
        maxLength={lettersMax}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  )
}
