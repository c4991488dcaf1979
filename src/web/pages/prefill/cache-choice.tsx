import { Choice, optionsOf } from '../../components/form-controls.tsx'
import { Row } from '../../components/card.tsx'
import { usePrefillCaches } from '../../api/prefill-schedules.ts'
import { t } from '../../locales/translate.ts'

interface CacheChoiceProps {
  /** Null: the cache of the service. */
  value: string | null
  disabled?: boolean
  onChange: (value: string | null) => void
}

/** Which cache is filled; nothing while no node has one. */
export function CacheChoice({ value, disabled = false, onChange }: CacheChoiceProps) {
  const nodes = usePrefillCaches().data ?? []
  if (nodes.length === 0 && value === null) return null
  const own = { value: null, label: t('prefill.cacheOwn') }
  return (
    <Row title={t('prefill.cache')} note={t('prefill.cacheNote')}>
      <Choice
        label={t('prefill.cache')}
        value={value}
        disabled={disabled}
        options={[own, ...optionsOf(nodes, String)]}
        onChange={onChange}
      />
    </Row>
  )
}
