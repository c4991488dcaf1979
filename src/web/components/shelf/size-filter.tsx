import { t } from '../../locales/translate.ts'
import { Choice, optionsOf } from '../form-controls.tsx'
import { sizeBands, type SizeBand } from './items.ts'

interface SizeFilterProps {
  value: SizeBand | undefined
  onChange: (band: SizeBand | undefined) => void
}

/** Shows games of one size only. */
export const SizeFilter = ({ value, onChange }: SizeFilterProps) => (
  <Choice
    label={t('shelf.size')}
    value={value}
    options={[
      { value: undefined, label: t('shelf.sizeAll') },
      ...optionsOf(sizeBands, (band) => t(`shelf.size.${band}`)),
    ]}
    onChange={onChange}
  />
)
