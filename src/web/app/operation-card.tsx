import { Link } from '@tanstack/react-router'
import { api, unwrap, keys } from '../api/client.ts'
import type { Operation, ParkedOperation } from '../api/queries.ts'
import { Dot, type Tone } from '../components/figures.tsx'
import { Button } from '../components/form-controls.tsx'
import { Problem } from '../components/card.tsx'
import { ProgressBar } from '../components/progress-bar.tsx'
import { percentText } from '../format/numbers.ts'
import { durationText, momentText } from '../format/times.ts'
import { t } from '../locales/translate.ts'
import { operationName } from './operation-name.ts'
import { isOver, secondsLeft } from './operation-state.ts'
import { outcomeText } from './stage-text.ts'
import { useNow } from './clock.ts'
import { Action } from '../components/setting-controls.tsx'
import { useSave } from './use-save.ts'

const tones: Partial<Record<Operation['status'], Tone>> = {
  failed: 'bad',
  completed: 'good',
  running: 'good',
}

interface OperationCardProps {
  operation: Operation & { blockedBy?: ParkedOperation['blockedBy'] }
  /** Called when the user follows the link to this job's page. */
  onLeave?: (() => void) | undefined
}

/** One job: its name, progress and a cancel button. */
export function OperationCard({ operation, onLeave }: OperationCardProps) {
  const now = useNow(1000)
  const saving = useSave({ stale: [keys.operations], showsError: true })
  const one = api.operations({ id: operation.id })
  const left = secondsLeft(operation, now.getTime())
  const percent = Math.max(0, Math.min(100, operation.percentComplete))
  const tone = tones[operation.status] ?? 'quiet'
  const blocker = operation.blockedBy ?? null
  const name = operationName(operation)
  const state = t(`operation.status.${operation.status}`)
  const stage =
    operation.error === null && blocker !== null
      ? t('operations.behind', { name: operationName(blocker) })
      : outcomeText(operation)
  return (
    <div className="card p-4">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <Link
            to="/operations/$id"
            params={{ id: operation.id }}
            className="block py-0.5 font-medium break-words hover:underline"
            onClick={onLeave}
          >
            {name}
          </Link>
          <p className="flex items-center gap-2 text-small text-dim">
            <Dot tone={tone} pulsing={operation.status === 'running'} />
            {state}
            {!isOver(operation) && ` · ${percentText(percent)}`}
            {operation.finishedAt !== null &&
              ` · ${momentText(new Date(operation.finishedAt), now)}`}
            {left !== null && ` · ${t('operations.left', { time: durationText(left) })}`}
          </p>
        </div>
        {!isOver(operation) && (
          <Button
            className="h-8"
            disabled={saving.isBusy || operation.status === 'cancelling'}
            onClick={() => saving.save({ run: () => unwrap(one.cancel.post()) })}
          >
            {t('action.cancel')}
          </Button>
        )}
      </div>
      {!isOver(operation) && <ProgressBar label={name} percent={percent} />}
      {stage !== null && stage !== '' && stage !== state && (
        <p className="mt-2 text-small break-words text-dim">{stage}</p>
      )}
      {operation.status === 'cancelling' && (
        <div className="mt-3">
          <Action
            label={t('operations.kill')}
            consequence={t('operations.killText')}
            run={() => unwrap(one['force-kill'].post())}
            saving={saving}
          />
        </div>
      )}
      <Problem error={saving.error} className="mt-2" />
    </div>
  )
}
