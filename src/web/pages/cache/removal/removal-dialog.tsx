import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { keys, api, unwrap } from '../../../api/client.ts'
import { useOverlay } from '../../../app/overlays.ts'
import { Figure } from '../../../components/figures.tsx'
import { Modal } from '../../../components/modal.tsx'
import { Switch, Button } from '../../../components/form-controls.tsx'
import { byteAmount, byteText, countText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { refusalText } from '../../../api/refusal-text.ts'
import { useAwayChoice } from '../away/choice.tsx'
import { useGates } from '../use-gates.ts'
import { titleOfEntry, type Entry } from '../games/entries.ts'
import type { WhenAway } from '../../../../cache/away/away.ts'
import type { RemovalPreview } from '../../../../cache/removals/model.ts'
import { Action } from '../../../components/setting-controls.tsx'
import { useSave } from '../../../app/use-save.ts'

/** Removals started at once; each is a separate job. */
export const removedAtOnceMax = 50
/** Listed by name; the rest are counted. */
const listedMax = 8
const previewEveryMs = 10_000

interface RemovalDialogProps {
  targets: readonly Entry[]
  onClose: () => void
  /** Called when all removals are queued. */
  onStarted: () => void
}

/** States exactly what will be deleted, before it is. */
export function RemovalDialog({ targets, onClose, onStarted }: RemovalDialogProps) {
  const openOverlay = useOverlay()
  const { canWriteLogs } = useGates()
  const [purgesLogs, setPurgesLogs] = useState(false)
  const away = useAwayChoice()
  const previews = useQueries({
    queries: targets.map((target) => ({
      queryKey: [...keys.cache, 'preview', target.key],
      queryFn: ({ signal }: { signal: AbortSignal }) => previewOf(target, signal),
      staleTime: 0,
      gcTime: 0,
      // What is added while the dialog is open is announced too.
      refetchInterval: previewEveryMs,
    })),
  })
  const error = previews.find((preview) => preview.error !== null)?.error ?? null
  const known = previews.flatMap(({ data }) => (data === undefined ? [] : [data]))
  const isKnown = known.length === targets.length
  const bytes = known.reduce((sum, preview) => sum + preview.bytes, 0)
  const files = known.reduce((sum, preview) => sum + preview.files, 0)
  // A service is removed with its games, which have entries of their own.
  const added = targets.reduce((sum, { kind, files: listed }, index) => {
    const found = previews[index]?.data?.files ?? 0
    return kind === 'service' ? sum : sum + Math.max(0, found - listed)
  }, 0)
  const depots = new Set(known.flatMap(({ depotIds }) => depotIds)).size
  const shared = known.flatMap(({ sharedDepots }) => sharedDepots)
  const saving = useSave({ stale: [keys.operations] })
  const run = async () => {
    for (const target of targets)
      await startRemoval(target, { purgeLogs: purgesLogs, ...away.query })
  }
  const after = () => {
    onStarted()
    openOverlay('operations')
  }
  const [first] = targets
  const title =
    targets.length === 1 && first !== undefined
      ? t('removal.one', { name: titleOfEntry(first) })
      : t('removal.many', { count: countText(targets.length) })
  return (
    <Modal title={title} isOpen onClose={onClose} place="top">
      <div className="max-h-[70dvh] overflow-y-auto px-5 pt-2 pb-5">
        {error !== null && <p className="mb-3 text-bad">{refusalText(error)}</p>}
        <div className="mt-2 flex flex-wrap items-baseline gap-x-3" aria-live="polite">
          {isKnown ? (
            <>
              <Figure amount={byteAmount(bytes)} className="text-[26px] leading-8 font-bold" />
              <p className="figure text-small text-dim">
                {t('cache.exactly', { bytes: countText(bytes) })} · {tn('count.files', files)}
                {depots > 0 && ` · ${tn('count.depots', depots)}`}
                {added > 0 && ` · ${tn('stage.filesAdded', added)}`}
              </p>
            </>
          ) : (
            error === null && <span className="skeleton h-8 w-40" />
          )}
        </div>
        {targets.length > 1 && (
          <ul className="mt-3 rounded-control bg-raise px-3 py-1.5 text-[13px]">
            {targets.slice(0, listedMax).map((target, index) => (
              <li key={target.key} className="flex justify-between gap-4 py-0.5">
                <span className="truncate">{titleOfEntry(target)}</span>
                <span className="figure flex-none text-dim">
                  {byteText(previews[index]?.data?.bytes ?? target.bytes)}
                </span>
              </li>
            ))}
            {targets.length > listedMax && (
              <li className="py-0.5 text-dim">
                {t('removal.more', { count: countText(targets.length - listedMax) })}
              </li>
            )}
          </ul>
        )}
        {targets.some(({ kind }) => kind === 'service') && (
          <p className="mt-3 text-[13px]">{t('removal.wholeService')}</p>
        )}
        {shared.length > 0 && <SharedDepots depots={shared} />}
        <p className="mt-3 max-w-[62ch] text-[13px] text-dim">{t('removal.consequence')}</p>
        <div className="mt-3 flex items-start gap-3 border-t border-line pt-3">
          <div className="flex-1">
            <p>{t('removal.logs')}</p>
            <p className="text-small text-dim">
              {t(canWriteLogs ? 'removal.logsNote' : 'removal.logsReadOnly')}
            </p>
          </div>
          <Switch
            label={t('removal.logs')}
            isOn={purgesLogs}
            disabled={!canWriteLogs}
            onChange={setPurgesLogs}
          />
        </div>
        {away.control}
        <div className="mt-4 flex flex-wrap gap-2">
          <Action
            className="border-bad text-bad"
            label={isKnown ? t('removal.go', { bytes: byteText(bytes) }) : t('removal.counting')}
            run={run}
            after={after}
            saving={saving}
            disabled={!isKnown || files === 0}
          />
          <Button onClick={onClose}>{t('action.cancel')}</Button>
        </div>
      </div>
    </Modal>
  )
}

type Removable = Pick<Entry, 'key' | 'kind' | 'id' | 'service' | 'name'>

/** What removing an entry would delete; changes nothing. */
function previewOf(entry: Removable, signal: AbortSignal) {
  const { kind, id, service, name } = entry
  const body =
    kind === 'alpha'
      ? { kind, appId: Number(id) }
      : kind === 'beta'
        ? { kind, gameName: id ?? name }
        : kind === 'named'
          ? { kind, service, gameName: name }
          : { kind, service }
  return unwrap(api.ext.cache.removals.preview.post(body, { fetch: { signal } }))
}

/** Starts the removal; resolves when it is queued. */
async function startRemoval(
  entry: Removable,
  query: { purgeLogs: boolean; whenAway?: WhenAway },
): Promise<void> {
  const { kind, id, service, name } = entry
  const options = { query }
  if (kind === 'alpha') await unwrap(api.games({ appId: Number(id) }).delete({}, options))
  else if (kind === 'beta') {
    await unwrap(api.games.beta({ gameName: id ?? name }).delete({}, options))
  } else if (kind === 'named') {
    await unwrap(api.games.named({ service })({ gameName: name }).delete({}, options))
  } else await unwrap(api.cache.services({ name: service }).delete({}, options))
}

/** Listed by name; the rest are counted. */
const depotsMax = 6

/** Depots that other games use too: they stay, listed with the games that use them. */
const SharedDepots = ({ depots }: { depots: RemovalPreview['sharedDepots'] }) => (
  <div className="mt-3 text-[13px]">
    <p className="font-medium">{tn('removal.shared', depots.length)}</p>
    <ul className="mt-1 space-y-0.5 text-dim">
      {depots.slice(0, depotsMax).map(({ depotId, usedBy, usedByCount }) => (
        <li key={depotId}>
          {t('game.depot', { id: depotId })}
          {': '}
          {usedBy.map(({ gameName }) => gameName).join(', ')}
          {usedByCount > usedBy.length &&
            ` ${t('removal.more', { count: countText(usedByCount - usedBy.length) })}`}
        </li>
      ))}
      {depots.length > depotsMax && (
        <li>{t('removal.more', { count: countText(depots.length - depotsMax) })}</li>
      )}
    </ul>
  </div>
)
