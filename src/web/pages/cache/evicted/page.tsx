import { useEvictionSettings, type EvictionSettings } from '../../../api/cache-queries.ts'
import { t, tn } from '../../../locales/translate.ts'
import { CacheFrame } from '../cache-page.tsx'
import { GateNote } from '../gate-note.tsx'
import { useGates } from '../use-gates.ts'
import { JobsCard } from '../../../components/jobs-card.tsx'
import { Settled } from '../../../components/settled.tsx'
import { EvictedList } from './evicted-list.tsx'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useIsScanning } from '../../../app/use-jobs.ts'
import { useSave } from '../../../app/use-save.ts'
import { Card, Pending, Row } from '../../../components/card.tsx'
import { Action, SwitchSetting, Setting } from '../../../components/setting-controls.tsx'
import { ScheduleLink } from '../../../components/schedule-link.tsx'
import { notify } from '../../../components/toast.tsx'
import { useState } from 'react'
import { TypedConfirm } from '../../../components/typed-confirm.tsx'

/** Downloads whose files were evicted: the display mode and the list. */
export function Page() {
  const { keys } = useGates()
  return (
    <CacheFrame title={t('cache.tabEvicted')}>
      <p className="mb-3.5 max-w-[90ch] text-[13px] text-dim">{t('evicted.lead')}</p>
      <GateNote gates={keys} consequence={t('evicted.gated')} />
      <Settled page="/cache/evicted">
        <JobsCard types={['evictionScan', 'evictionRemoval']} />
        <div className="mb-3.5 grid gap-3.5 lg:grid-cols-12">
          <ModeCard isBarred={keys.length > 0} />
          <ScanCard isBarred={keys.length > 0} />
        </div>
        <EvictedList isBarred={keys.length > 0} />
      </Settled>
    </CacheFrame>
  )
}

const switches = [
  ['evicted.notify', 'evictionScanNotifications'],
  ['evicted.prune', 'pruneOrphanedDownloads'],
] as const

/** Eviction scans, on request and scheduled. */
function ScanCard({ isBarred }: { isBarred: boolean }) {
  const { data: settings } = useEvictionSettings()
  const isScanning = useIsScanning('evictionScan')
  return (
    <Card
      title={t('evicted.scan')}
      note={t('evicted.scanNote')}
      className="lg:col-span-5"
      stale={[keys.cache, keys.operations, keys.downloads, ...keys.reports]}
      action={
        <Action
          className="h-8"
          label={t(isScanning ? 'scan.running' : 'scan.now')}
          run={() => unwrap(api.stats.eviction.reconcile.post())}
          done={t('evicted.scanStarted')}
          disabled={isScanning || isBarred}
        />
      }
    >
      {settings !== undefined &&
        switches.map(([id, name]) => (
          <SwitchSetting
            key={id}
            id={id}
            value={settings[name]}
            write={(isOn) => unwrap(api.stats.eviction.put({ [name]: isOn }))}
          />
        ))}
      <Row title={t('schedules.interval')}>
        <ScheduleLink of="cacheReconciliation" />
      </Row>
      <Row title={t('evicted.reset')} note={t('evicted.resetNote')}>
        <Action
          label={t('evicted.resetAction')}
          consequence={t('evicted.resetText')}
          run={async () => {
            const { reset } = await unwrap(api.stats.eviction.reset.post())
            notify(tn('evicted.wasReset', reset))
          }}
        />
      </Row>
    </Card>
  )
}

type Mode = EvictionSettings['evictedDataMode']

const modes: readonly Mode[] = ['show', 'showClean', 'hide', 'remove']

/** Display mode of evicted downloads, with an explanation of each choice. */
function ModeCard({ isBarred }: { isBarred: boolean }) {
  const { data: settings, error } = useEvictionSettings()
  const [isAsking, setIsAsking] = useState(false)
  /** The choice, until the server has stored it. */
  const [wanted, setWanted] = useState<Mode | null>(null)
  const { save, isBusy } = useSave({
    stale: [[...keys.cache], keys.operations, keys.downloads, ...keys.reports],
  })
  const put = (evictedDataMode: Mode) => unwrap(api.stats.eviction.put({ evictedDataMode }))
  const choose = (mode: Mode) => {
    const before = settings?.evictedDataMode
    if (before === undefined || before === mode || isBusy) return
    setWanted(mode)
    if (mode === 'remove') {
      setIsAsking(true)
      return
    }
    const undo = before === 'remove' ? {} : { undo: () => put(before) }
    save({ run: () => put(mode), done: t('evicted.modeSaved'), ...undo })
  }
  const shown = isBusy && wanted !== null ? wanted : settings?.evictedDataMode
  return (
    <Card title={t('nav.settings')} className="lg:col-span-7">
      {settings === undefined && <Pending error={error} rows={7} />}
      {settings !== undefined && (
        <Setting
          id="evicted.mode"
          value={t(`evicted.as.${shown ?? 'show'}`)}
          state={
            <fieldset className="-mx-2 mt-2">
              <legend className="sr-only">{t('evicted.mode')}</legend>
              {modes.map((mode) => (
                <label
                  key={mode}
                  className="flex cursor-pointer items-start gap-3 rounded-control px-2 py-2 hover:bg-raise has-checked:bg-raise"
                >
                  <input
                    type="radio"
                    name="evicted-mode"
                    value={mode}
                    checked={shown === mode}
                    disabled={mode === 'remove' && isBarred}
                    onChange={() => choose(mode)}
                    className="mt-[3px] size-4 flex-none accent-(--cache)"
                  />
                  <span className="min-w-0">
                    <span className="block font-medium text-text">{t(`evicted.as.${mode}`)}</span>
                    <span className="block text-small text-dim">{t(`evicted.asNote.${mode}`)}</span>
                  </span>
                </label>
              ))}
            </fieldset>
          }
        />
      )}
      {isAsking && (
        <TypedConfirm
          title={t('evicted.as.remove')}
          consequence={t('evicted.removeConsequence')}
          word={t('evicted.removeWord')}
          action={t('evicted.removeAction')}
          isBusy={isBusy}
          onClose={() => setIsAsking(false)}
          onConfirm={() =>
            save({
              run: () => put('remove'),
              done: t('evicted.modeSaved'),
              after: () => setIsAsking(false),
            })
          }
        />
      )}
    </Card>
  )
}
