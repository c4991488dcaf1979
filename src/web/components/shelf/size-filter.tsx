import { t } from '../../locales/translate.ts'
import { Choice } from '../form-controls.tsx'
import { sizeBands, type SizeBand } from './items.ts'

interface SizeFilterProps {
  value: SizeBand | undefined
  onChange: (band: SizeBand | undefined) => void
}

/** Shows games of one size only. */
export const SizeFilter = ({ value, onChange }: SizeFilterProps) => (
  <Choice
    label={t('shelf.size')}
    value={value ?? ''}
    options={[
      { value: '', label: t('shelf.sizeAll') },
      ...sizeBands.map((band) => ({ value: band, label: t(`shelf.size.${band}`) })),
    ]}
    onChange={(band) => onChange(band || undefined)}
  />
)
