import { useIsScanning, type EvictionSettings } from '../../../api/cache-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Card } from '../../../components/card.tsx'
import { Confirm, Row, Setting } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { say } from '../../../components/toast.tsx'
import { Button } from '../../../components/button.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { useJobs } from '../../../app/use-jobs.ts'

interface ScanCardProps {
  settings: EvictionSettings | undefined
  isBarred: boolean
  className: string
}

const switches = [
  ['evicted.notify', 'evictionScanNotifications'],
  ['evicted.prune', 'pruneOrphanedDownloads'],
] as const

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
        switches.map(([id, name]) => (
          <Setting key={id} id={id}>
            <Switch
              isOn={settings[name]}
              disabled={isBusy}
              onChange={(isOn) =>
                save({ run: () => unwrap(api.stats.eviction.put({ [name]: isOn })) })
              }
            />
          </Setting>
        ))}
      <Row title={t('evicted.reset')} note={t('evicted.resetNote')}>
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
      </Row>
    </Card>
  )
}
