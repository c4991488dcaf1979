import { Button } from '../../../components/form-controls.tsx'
import { ProgressBar } from '../../../components/progress-bar.tsx'
import { ShelfBar } from '../../../components/shelf/shelf-bar.tsx'
import { keys } from '../../../api/client.ts'
import { useOperations } from '../../../api/queries.ts'
import { useSave } from '../../../app/use-save.ts'
import { byteText } from '../../../format/numbers.ts'
import { durationText } from '../../../format/times.ts'
import { t, tn } from '../../../locales/translate.ts'
import {
  clearRun,
  prefillGames,
  usePlan,
  type GameId,
  type ShelfPlan,
  type ShelfRun,
} from './queries.ts'
import { Action } from '../../../components/setting-controls.tsx'

interface PickBarProps {
  picked: readonly GameId[]
  run: ShelfRun | undefined
  onClear: () => void
  onFailed: () => void
}

/** What the chosen games take, the button that fetches them, and the run that does. */
export function PickBar({ picked, run, onClear, onFailed }: PickBarProps) {
  const { data: plan } = usePlan(picked)
  const saving = useSave({ stale: [keys.prefill, keys.operations] })
  const isRunning = (run?.operationId ?? null) !== null
  const failed = run?.games.filter(({ state }) => state === 'failed').length ?? 0
  const isOver = plan?.fits === 'no'
  return (
    <ShelfBar
      label={t('shelf.bar')}
      actions={
        <>
          {failed > 0 && !isRunning && (
            <Action label={t('shelf.dismiss')} run={clearRun} saving={saving} />
          )}
          {isRunning && (
            <Action
              className="h-[38px]"
              label={t('prefill.cancelRun')}
              run={clearRun}
              saving={saving}
            />
          )}
          {picked.length > 0 && (
            <Button className="h-[38px]" onClick={onClear}>
              {t('prefill.selectNone')}
            </Button>
          )}
          <Action
            className="primary px-5"
            label={t('nav.prefill')}
            run={() => prefillGames(picked)}
            after={onClear}
            saving={saving}
            disabled={picked.length === 0}
          />
        </>
      }
    >
      {picked.length > 0 ? (
        <p className="figure">
          <strong className="font-semibold">{tn('count.games', picked.length)}</strong>
          {plan !== undefined && <span className="text-dim">{planText(plan)}</span>}
          {isOver && (
            <span className="text-bad">
              {` · ${t('shelf.tooMuch', { size: byteText(plan.overBytes) })}`}
            </span>
          )}
        </p>
      ) : (
        !isRunning && failed === 0 && <p className="text-dim">{t('shelf.choose')}</p>
      )}
      {isRunning && run !== undefined && <Running run={run} />}
      {failed > 0 && (
        <button type="button" className="link text-small" onClick={onFailed}>
          {tn('shelf.failed', failed)}
        </button>
      )}
    </ShelfBar>
  )
}

/** Bytes, time and room, as far as they are known. */
function planText({ missingBytes, knownBytes, seconds, fits, isAsking }: ShelfPlan): string {
  const size = byteText(missingBytes ?? knownBytes)
  const unknown = t(isAsking ? 'shelf.sizing' : 'ready.sizeUnknown')
  const parts = [
    missingBytes !== null ? size : knownBytes > 0 ? t('shelf.atLeast', { size }) : '',
    missingBytes === null ? unknown : '',
    seconds === null || seconds < 1 ? '' : t('ready.about', { time: durationText(seconds) }),
    fits === 'yes' ? t('ready.fits') : fits === 'evicts' ? t('ready.evicts') : '',
  ]
  return parts
    .filter((part) => part !== '')
    .map((part) => ` · ${part}`)
    .join('')
}

function Running({ run: { operationId, games } }: { run: ShelfRun }) {
  const { data } = useOperations()
  const job = data?.running.find(({ id }) => id === operationId)
  const ended = games.filter(({ state }) => state === 'done' || state === 'failed').length
  const open = games.find(({ state }) => state === 'fetching')
  const text = t('shelf.progress', { done: ended, total: tn('count.games', games.length) })
  return (
    <div className="max-w-[520px]">
      <p className="figure truncate text-small text-dim">
        {job === undefined ? t('ready.waits') : text}
        {open !== undefined && ` · ${open.name}`}
      </p>
      <ProgressBar label={t('job.prefillShelf')} percent={job?.percentComplete ?? 0} />
    </div>
  )
}
