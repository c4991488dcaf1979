import { useIsScanning, type EvictionSettings } from '../../../api/cache-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Action, SwitchSetting } from '../../../components/setting-controls.tsx'
import { ScheduleLink } from '../../../components/schedule-link.tsx'
import { Row } from '../../../components/setting.tsx'
import { notify } from '../../../components/toast.tsx'
import { t, tn } from '../../../locales/translate.ts'

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
  const saving = useSave({
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
          disabled={isScanning || saving.isBusy || isBarred}
          onClick={() =>
            saving.save({
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
          <SwitchSetting
            key={id}
            id={id}
            value={settings[name]}
            write={(isOn) => unwrap(api.stats.eviction.put({ [name]: isOn }))}
            saving={saving}
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
          saving={saving}
        />
      </Row>
    </Card>
  )
}
