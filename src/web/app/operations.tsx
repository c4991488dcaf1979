import { useMutation, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useOperations } from '../api/queries.ts'
import { api, unwrap } from '../api/eden.ts'
import { keys } from '../api/keys.ts'
import type { Operation } from '../api/wire.ts'
import { Dot, type Tone } from '../components/figures.tsx'
import { Modal } from '../components/modal.tsx'
import { Notice, Trouble, Waiting } from '../components/notice.tsx'
import { percentText } from '../format/numbers.ts'
import { durationText } from '../format/times.ts'
import { t } from '../locales/translate.ts'
import { isOver, secondsLeft, statusLabels } from './operation-state.ts'
import { useNow } from './use-now.ts'

const tones: Partial<Record<Operation['status'], Tone>> = {
  failed: 'bad',
  cancelled: 'attention',
  completed: 'good',
  running: 'good',
}

/** Progress of every long job in one place; read from the server, so a reload shows the same. */
export function Operations({ onClose }: { onClose: () => void }) {
  const { data, error } = useOperations()
  const all = [...(data?.running ?? []), ...(data?.waiting ?? []), ...(data?.recent ?? [])]
  const shown = all.filter(({ isSilent }) => !isSilent)
  return (
    <Modal title={t('nav.operations')} isOpen onClose={onClose} place="side">
      <button
        type="button"
        onClick={onClose}
        aria-label={t('action.close')}
        className="absolute top-4 right-4 rounded-control p-2 text-dim hover:bg-raise"
      >
        <X size={16} aria-hidden="true" />
      </button>
      <div className="flex-1 overflow-y-auto p-5">
        {error !== null && data === undefined && <Trouble error={error} />}
        {error === null && data === undefined && <Waiting />}
        {data !== undefined && shown.length === 0 && (
          <Notice title={t('operations.none')}>{t('operations.noneText')}</Notice>
        )}
        <ul className="space-y-3">
          {shown.map((operation) => (
            <OperationCard key={operation.id} operation={operation} />
          ))}
        </ul>
      </div>
    </Modal>
  )
}

function OperationCard({
  operation,
}: {
  operation: Operation & { blockedByName?: string | null }
}) {
  const queries = useQueryClient()
  const now = useNow(1000)
  const cancel = useMutation({
    mutationFn: () => unwrap(api.operations({ id: operation.id }).cancel.post()),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.operations }),
  })
  const left = secondsLeft(operation, now.getTime())
  const percent = Math.max(0, Math.min(100, operation.percentComplete))
  const tone = tones[operation.status] ?? 'quiet'
  const blocker = operation.blockedByName ?? null
  const stage =
    operation.error ??
    (blocker === null ? operation.message : t('operations.behind', { name: blocker }))
  return (
    <li className="card p-4">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="font-medium">{operation.name}</p>
          <p className="flex items-center gap-2 text-small text-dim">
            <Dot tone={tone} pulsing={operation.status === 'running'} />
            {t(statusLabels[operation.status])}
            {!isOver(operation) && ` · ${percentText(percent)}`}
            {left !== null && ` · ${t('operations.left', { time: durationText(left) })}`}
          </p>
        </div>
        {!isOver(operation) && (
          <button
            type="button"
            className="control h-8"
            disabled={cancel.isPending || operation.status === 'cancelling'}
            onClick={() => cancel.mutate()}
          >
            {t('action.cancel')}
          </button>
        )}
      </div>
      {!isOver(operation) && (
        <div
          role="progressbar"
          aria-label={operation.name}
          aria-valuenow={Math.round(percent)}
          aria-valuemin={0}
          aria-valuemax={100}
          className="mt-3 h-1.5 overflow-hidden rounded-bar bg-raise"
        >
          <div
            className="h-full rounded-bar bg-cache transition-[width]"
            style={{ width: `${percent}%` }}
          />
        </div>
      )}
      {stage !== null && stage !== '' && <p className="mt-2 text-small text-dim">{stage}</p>}
      {cancel.error !== null && <p className="mt-2 text-small text-bad">{cancel.error.message}</p>}
    </li>
  )
}
