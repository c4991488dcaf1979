import { Link } from '@tanstack/react-router'
import { useOperations } from '../api/queries.ts'
import { Notice, Pending } from '../components/card.tsx'
import { SidePanel } from '../components/side-panel.tsx'
import { t } from '../locales/translate.ts'
import { OperationCard } from './operation-card.tsx'

/** All jobs with their progress; read from the server, so it survives a reload. */
export function OperationsList({ onLeave }: { onLeave?: () => void }) {
  const { data, error } = useOperations()
  const all = [...(data?.running ?? []), ...(data?.waiting ?? []), ...(data?.recent ?? [])]
  const shown = all.filter(({ isSilent }) => !isSilent)
  return (
    <>
      {data === undefined && <Pending error={error} rows={3} />}
      {data !== undefined && shown.length === 0 && (
        <Notice
          title={t('operations.none')}
          action={
            <Link to="/settings/schedules" onClick={onLeave} className="control">
              {t('settings.schedules')}
            </Link>
          }
        >
          {t('operations.noneText')}
        </Notice>
      )}
      <ul className="space-y-3">
        {shown.map((operation) => (
          <li key={operation.id}>
            <OperationCard operation={operation} onLeave={onLeave} />
          </li>
        ))}
      </ul>
    </>
  )
}

/** The same beside any page. */
export const Operations = ({ onClose }: { onClose: () => void }) => (
  <SidePanel title={t('nav.operations')} isOpen onClose={onClose}>
    <OperationsList onLeave={onClose} />
    <Link to="/operations" onClick={onClose} className="link mt-4 inline-block text-[13px]">
      {t('operations.page')}
    </Link>
  </SidePanel>
)
