import { Choice, optionsOf } from '../../components/form-controls.tsx'
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
    value={value}
    disabled={disabled}
    options={[{ value: null, label: t('prefill.automatic') }, ...optionsOf(counts, String)]}
    onChange={onChange}
  />
)
