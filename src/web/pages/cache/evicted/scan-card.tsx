import { useIsScanning, type EvictionSettings } from '../../../api/cache-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Card } from '../../../components/card.tsx'
import { Confirm, Setting } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { say } from '../../../components/toast.tsx'
import { Button } from '../../../components/button.tsx'
import { t, tn, type Key } from '../../../locales/translate.ts'
import { useSave } from '../../settings/use-save.ts'
import { useJobs } from '../use-jobs.ts'

interface ScanCardProps {
  settings: EvictionSettings | undefined
  isBarred: boolean
  className: string
}

type SwitchName = 'evictionScanNotifications' | 'pruneOrphanedDownloads'
const switches: readonly { name: SwitchName; label: Key; note: Key }[] = [
  { name: 'evictionScanNotifications', label: 'evicted.notify', note: 'evicted.notifyNote' },
  { name: 'pruneOrphanedDownloads', label: 'evicted.prune', note: 'evicted.pruneNote' },
]

/** Eviction scans, on request and scheduled. */
export function ScanCard({ settings, isBarred, className }: ScanCardProps) {
  const isSilent = useIsScanning('evicted')
  const isScanning = useJobs(['evictionScan']).isBusy || isSilent
  const { save, isBusy } = useSave({
    stale: [[...keys.cache], keys.operations, keys.downloads, ...keys.reports],
  })
  return (
    <Card
      title={t('evicted.scan')}
      note={t('evicted.scanNote')}
      className={className}
      action={
        <Button
          className="h-8"
          disabled={isScanning || isBusy || isBarred}
          onClick={() =>
            save({
              run: () => unwrap(api.stats.eviction.reconcile.post()),
              done: t('evicted.scanStarted'),
            })
          }
        >
          {t(isScanning ? 'scan.running' : 'scan.now')}
        </Button>
      }
    >
      {settings !== undefined &&
        switches.map(({ name, label, note }) => (
          <Setting key={name} title={t(label)} note={t(note)}>
            <Switch
              isOn={settings[name]}
              disabled={isBusy}
              onChange={(isOn) =>
                save({ run: () => unwrap(api.stats.eviction.put({ [name]: isOn })) })
              }
            />
          </Setting>
        ))}
      <Setting title={t('evicted.reset')} note={t('evicted.resetNote')}>
        <Confirm
          label={t('evicted.resetAction')}
          consequence={t('evicted.resetText')}
          isBusy={isBusy}
          onConfirm={() =>
            save({
              run: async () => {
                const { reset } = await unwrap(api.stats.eviction.reset.post())
                say(tn('evicted.wasReset', reset))
              },
            })
          }
        />
      </Setting>
    </Card>
  )
}
