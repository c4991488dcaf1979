import { useDetection } from '../../../api/cache-queries.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useNow } from '../../../app/clock.ts'
import { StateLine } from '../../../components/card.tsx'
import { ScheduleLink } from '../../../components/schedule-link.tsx'
import { Button } from '../../../components/form-controls.tsx'
import { Time } from '../../../components/figures.tsx'
import { byteText, countText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { sinceText } from '../../../format/times.ts'
import { useGates } from '../use-gates.ts'
import { useIsScanning } from '../../../app/use-jobs.ts'

/** The last detection and its result, with a button to run it again. */
export function DetectionLine() {
  const { data: detection } = useDetection()
  const now = useNow(15_000)
  const { keys: barred } = useGates()
  const isDetecting = useIsScanning('gameDetection')
  const { save, isBusy } = useSave({ stale: [[...keys.cache], keys.operations] })
  const detect = (forceRefresh: boolean) =>
    save({
      run: () => unwrap(api.games.detect.post({}, { query: { forceRefresh } })),
      done: t('detect.started'),
    })
  const at = detection?.lastDetectionTime ?? null
  const isOff = isDetecting || isBusy || barred.length > 0
  return (
    <section
      aria-label={t('detect.label')}
      className="card mb-3.5 flex flex-wrap items-center gap-x-6 gap-y-2 px-[18px] py-2.5 text-[13px]"
    >
      <div className="min-w-[min(260px,100%)] flex-1">
        {detection === undefined && <span className="skeleton block h-5 w-64" />}
        {detection !== undefined && at === null && (
          <StateLine tone="quiet">{t('cache.neverDetected')}</StateLine>
        )}
        {detection !== undefined && at !== null && (
          <StateLine tone="good">
            {t('detect.found', {
              games: tn('count.games', detection.totalGamesDetected),
              bytes: byteText(detection.games_on_disk_bytes),
            })}
            <span className="text-dim">
              {' · '}
              {t('detect.services', {
                services: tn('count.services', detection.totalServicesDetected),
                bytes: byteText(detection.identified_service_bytes),
              })}
              {' · '}
              <Time at={at} now={now}>
                {t('detect.at', { ago: sinceText(new Date(at), now) })}
              </Time>
            </span>
            {detection.detection_stale && (
              <span className="block text-dim">{t('detect.stale')}</span>
            )}
          </StateLine>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button disabled={isOff} onClick={() => detect(false)}>
          {t(isDetecting ? 'detect.running' : 'detect.quick')}
        </Button>
        <Button
          disabled={isOff}
          title={t('detect.fullNote', { count: countText(detection?.games.length ?? 0) })}
          onClick={() => detect(true)}
        >
          {t('detect.full')}
        </Button>
        <ScheduleLink of="gameDetection" />
      </div>
    </section>
  )
}
