import { t } from '../../locales/translate.ts'
import { sizeBandOf, sizeBands, type SizeBand } from './items.ts'

interface SizeFilterProps {
  value: SizeBand | undefined
  onChange: (band: SizeBand | undefined) => void
}

/** Shows games of one size only. */
export const SizeFilter = ({ value, onChange }: SizeFilterProps) => (
  <select
    className="control"
    aria-label={t('shelf.size')}
    value={value ?? ''}
    onChange={({ target }) => onChange(sizeBandOf(target.value))}
  >
    <option value="">{t('shelf.sizeAll')}</option>
    {sizeBands.map((band) => (
      <option key={band} value={band}>
        {t(`shelf.size.${band}`)}
      </option>
    ))}
  </select>
)
