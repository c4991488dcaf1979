import { Choice } from '../../components/form-controls.tsx'
import { t } from '../../locales/translate.ts'

const counts = [1, 2, 4, 8, 16, 32, 64, 128, 256]

interface ConnectionsProps {
  /** Null: the daemon chooses. */
  value: number | null
  disabled?: boolean
  onChange: (value: number | null) => void
}

/** How many connections a run may use at the same time. */
export const Connections = ({ value, disabled = false, onChange }: ConnectionsProps) => (
  <Choice
    value={value === null ? 'auto' : String(value)}
    disabled={disabled}
    options={[
      { value: 'auto', label: t('prefill.automatic') },
      ...counts.map((count) => ({ value: String(count), label: String(count) })),
    ]}
    onChange={(next) => onChange(next === 'auto' ? null : Number(next))}
  />
)
