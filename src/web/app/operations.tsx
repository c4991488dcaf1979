import { useOperations } from '../api/queries.ts'
import { Notice, Pending } from '../components/notice.tsx'
import { SidePanel } from '../components/side-panel.tsx'
import { t } from '../locales/translate.ts'
import { OperationCard } from './operation-card.tsx'

/** Progress of all jobs in one place; read from the server, so it survives a reload. */
export function Operations({ onClose }: { onClose: () => void }) {
  const { data, error } = useOperations()
  const all = [...(data?.running ?? []), ...(data?.waiting ?? []), ...(data?.recent ?? [])]
  const shown = all.filter(({ isSilent }) => !isSilent)
  return (
    <SidePanel title={t('nav.operations')} isOpen onClose={onClose}>
      {data === undefined && <Pending error={error} rows={3} />}
      {data !== undefined && shown.length === 0 && (
        <Notice title={t('operations.none')}>{t('operations.noneText')}</Notice>
      )}
      <ul className="space-y-3">
        {shown.map((operation) => (
          <li key={operation.id}>
            <OperationCard operation={operation} onLeave={onClose} />
          </li>
        ))}
      </ul>
    </SidePanel>
  )
}
