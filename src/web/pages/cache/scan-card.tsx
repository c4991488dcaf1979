import type { CacheInfo } from '../../../cache/info/model.ts'
import { useCacheSize, useIsScanning } from '../../api/cache-queries.ts'
import { api, unwrap } from '../../api/eden.ts'
import { keys } from '../../api/keys.ts'
import { useNow } from '../../app/use-now.ts'
import { Card } from '../../components/card.tsx'
import { ScheduleLink } from '../../components/schedule-link.tsx'
import { Notice, Waiting } from '../../components/notice.tsx'
import { StateLine } from '../../components/setting.tsx'
import { Button } from '../../components/button.tsx'
import { Time } from '../../components/time.tsx'
import { byteText, countText } from '../../format/numbers.ts'
import { lagText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { useSave } from '../../app/use-save.ts'
import { sinceText } from '../../format/since.ts'
import { useJobs } from '../../app/use-jobs.ts'

/** The last size scan, with a button to run another. */
export function ScanCard({ info, className }: { info: CacheInfo | undefined; className: string }) {
  const now = useNow(15_000)
  const { data: size, isPending } = useCacheSize()
  const isSilent = useIsScanning('size')
  const isScanning = useJobs(['cacheSizeScan']).isBusy || isSilent
  const { save, isBusy } = useSave({ stale: [[...keys.cache], keys.operations] })
  const scan = () =>
    save({
      run: () => unwrap(api.cache.size.get({ query: { force: true } })),
      done: t('scan.started'),
    })
  const facts =
    size === null || size === undefined
      ? []
      : [
          { name: t('scan.bytes'), value: byteText(size.totalBytes) },
          { name: t('scan.files'), value: countText(size.totalFiles) },
          { name: t('scan.folders'), value: countText(size.totalDirectories) },
          { name: t('scan.took'), value: lagText(size.scanDurationMs) },
        ]
  const isStale = info?.scanStale === true || size?.isStale === true
  return (
    <Card
      title={t('scan.title')}
      className={className}
      action={
        <Button className="h-8" disabled={isScanning || isBusy} onClick={scan}>
          {t(isScanning ? 'scan.running' : 'scan.now')}
        </Button>
      }
    >
      {isPending && <Waiting rows={3} />}
      {size === null && <Notice title={t('scan.none')}>{t('scan.noneText')}</Notice>}
      {size !== null && size !== undefined && (
        <>
          <p className="text-[13px]">
            <StateLine tone={isStale ? 'quiet' : 'good'}>
              <Time at={size.timestamp} now={now}>
                {t('scan.at', { ago: sinceText(new Date(size.timestamp), now) })}
              </Time>
              {isStale && <span className="block text-dim">{t('scan.stale')}</span>}
            </StateLine>
          </p>
          <dl className="mt-3 grid grid-cols-2 gap-x-6 gap-y-2.5">
            {facts.map(({ name, value }) => (
              <div key={name}>
                <dt className="text-small text-dim">{name}</dt>
                <dd className="figure">{value}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      <div className="mt-auto pt-3">
        <ScheduleLink of="cacheSizeScan" />
      </div>
    </Card>
  )
}
