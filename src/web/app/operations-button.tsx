import { ListChecks } from 'lucide-react'
import { useOperations } from '../api/queries.ts'
import { countText } from '../format/numbers.ts'
import { t } from '../locales/translate.ts'
import { useOverlay } from './overlays.ts'

/** Opens the drawer; shows how many jobs are running or queued. */
export function OperationsButton() {
  const open = useOverlay()
  const { data } = useOperations()
  const busy = [...(data?.running ?? []), ...(data?.waiting ?? [])]
  const running = busy.filter(({ isSilent }) => !isSilent)
  return (
    <button
      type="button"
      onClick={() => open('operations')}
      className="flex h-9 w-full items-center gap-2.5 rounded-control px-2.5 text-dim hover:text-text"
    >
      <ListChecks size={16} strokeWidth={1.8} />
      {t('nav.operations')}
      {running.length > 0 && (
        <span className="ml-auto rounded-full bg-raise px-2 text-tiny text-text">
          {countText(running.length)}
        </span>
      )}
    </button>
  )
}
