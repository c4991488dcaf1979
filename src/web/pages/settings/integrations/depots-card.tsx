import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { reasonText } from '../../../api/refusal-text.ts'
import { Refusal } from '../../../api/refusal.ts'
import { useJobs, type Job } from '../../../app/use-jobs.ts'
import { useNow } from '../../../app/use-now.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Action, ChoiceSetting } from '../../../components/setting-controls.tsx'
import { notify } from '../../../components/toast.tsx'
import { Row, StateLine } from '../../../components/setting.tsx'
import { countText, percentText } from '../../../format/numbers.ts'
import { sinceText } from '../../../format/since.ts'
import { durationText } from '../../../format/times.ts'
import { t, type Key } from '../../../locales/translate.ts'
import { ScheduleLink } from '../../../components/schedule-link.tsx'
import { useDepotProgress, useDepotStatus } from './queries.ts'

type Progress = NonNullable<ReturnType<typeof useDepotProgress>['data']>

const modes = [
  { value: 'github', label: 'depots.modeList' },
  { value: true, label: 'depots.modeChanges' },
  { value: false, label: 'depots.modeFull' },
] as const

/** Names of Steam games: where they come from, when, and how the last search ended. */
export function DepotsCard() {
  const { data, error } = useDepotProgress()
  const { data: status } = useDepotStatus()
  const { running } = useJobs(['depotMapping'])
  return (
    <Card title={t('depots.title')} note={t('depots.note')}>
      {data === undefined && <Pending error={error} rows={4} />}
      {data !== undefined && (
        <>
          <Row title={t('depots.known')} note={<LastRun progress={data} job={running[0]} />}>
            <span className="figure">
              {countText(status?.database.totalMappings ?? data.depotMappingsFound)}
            </span>
          </Row>
          <Runs isRunning={running.length > 0} hasMappings={data.depotMappingsFound > 0} />
          <Schedule progress={data} />
        </>
      )}
    </Card>
  )
}

/** Starts and cancels. An import is answered when it is over, so cancelling waits for nothing. */
function Runs({ isRunning, hasMappings }: { isRunning: boolean; hasMappings: boolean }) {
  const stale = [keys.depots, keys.operations]
  const saving = useSave({ stale })
  const { save: cancel } = useSave({ stale })
  const importList = () =>
    unwrap(api.depots.import.post(undefined, { query: { source: 'github' } }))
  return (
    <Row title={t('depots.run')} note={t('depots.runNote')}>
      {isRunning ? (
        <Button
          onClick={() =>
            cancel({ run: () => unwrap(api.depots.rebuild.delete()), done: t('depots.cancelled') })
          }
        >
          {t('action.cancel')}
        </Button>
      ) : (
        <>
          <Action
            label={t('depots.import')}
            run={importList}
            done={t('depots.imported')}
            saving={saving}
          />
          <Action
            label={t('depots.crawl')}
            run={() => crawl(hasMappings)}
            done={t('depots.started')}
            saving={saving}
          />
          <Action label={t('depots.check')} run={check} saving={saving} />
          <Action
            label={t('depots.apply')}
            run={() => unwrap(api.depots.patch())}
            done={t('depots.applied')}
            saving={saving}
          />
        </>
      )}
    </Row>
  )
}

/** Says whether a search can be limited to what has changed. */
async function check(): Promise<void> {
  const answer = await unwrap(api.depots.rebuild['check-incremental'].get())
  if (answer.error) throw new Error(answer.error)
  const values = {
    changes: countText(answer.changeGap),
    apps: countText(answer.estimatedAppsToScan),
  }
  notify(answer.isViable ? t('depots.checkPossible', values) : t('depots.checkFull'))
}

/** Changes only where that is possible, all apps otherwise. */
async function crawl(hasMappings: boolean): Promise<unknown> {
  const started = await unwrap(
    api.depots.rebuild.post(undefined, { query: { incremental: hasMappings } }),
  )
  if (started.viabilityError !== null) {
    throw new Refusal(409, { ...started, error: started.viabilityError })
  }
  if (started.started) return started
  return unwrap(api.depots.rebuild.post(undefined, { query: { incremental: false } }))
}

const phases: Partial<Record<Progress['status'], Key>> = {
  importing: 'depots.phase.importing',
  refreshingCatalog: 'depots.phase.downloading',
  processing: 'depots.phase.processing',
  resolvingOrphans: 'depots.phase.orphans',
  applyingMappings: 'depots.phase.applying',
}

function LastRun({ progress, job }: { progress: Progress; job: Job | undefined }) {
  const now = useNow(30_000)
  const { lastCrawlTime, errorMessage, status, automaticScanSkipped } = progress
  if (job !== undefined) {
    return (
      <StateLine tone="good">
        {t(phases[status] ?? 'depots.phase.other')} · {percentText(job.percentComplete)}
      </StateLine>
    )
  }
  if (errorMessage !== null) {
    return (
      <StateLine tone="attention">
        {t('depots.failed', { reason: reasonText(errorMessage) })}
      </StateLine>
    )
  }
  if (automaticScanSkipped) {
    return <StateLine tone="attention">{t('depots.fullNeeded')}</StateLine>
  }
  if (lastCrawlTime === null) return <StateLine tone="quiet">{t('depots.never')}</StateLine>
  const time = sinceText(new Date(lastCrawlTime), now)
  return <StateLine tone="good">{t('depots.last', { time })}</StateLine>
}

function Schedule({ progress }: { progress: Progress }) {
  const { crawlIntervalHours, crawlIncrementalMode, nextCrawlIn } = progress
  const saving = useSave({ stale: [keys.depots, keys.operations] })
  return (
    <>
      <ChoiceSetting
        id="depots.mode"
        isFlat
        value={crawlIncrementalMode}
        options={modes.map(({ value, label }) => ({ value, label: t(label) }))}
        write={(mode) => unwrap(api.depots.rebuild.config.mode.put(mode))}
        saving={saving}
      />
      <Row
        title={t('depots.interval')}
        note={
          crawlIntervalHours === 0
            ? t('depots.noInterval')
            : t('depots.next', { time: durationText(nextCrawlIn) })
        }
      >
        <ScheduleLink of="depotMapping" />
      </Row>
    </>
  )
}
