import { Link } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { platformFacts } from '../../../../platforms/platforms.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useGameImages } from '../../../api/game-images.ts'
import { useUnnamed } from '../../../api/cache-queries.ts'
import { useSave } from '../../../app/use-save.ts'
import { Card, Pending, Row, StateLine } from '../../../components/card.tsx'
import { SearchField, Button } from '../../../components/form-controls.tsx'
import { ScheduleLink } from '../../../components/schedule-link.tsx'
import { Action, ChoiceSetting } from '../../../components/setting-controls.tsx'
import { Table } from '../../../components/table.tsx'
import { countText, percentText } from '../../../format/numbers.ts'
import { known, t, tn } from '../../../locales/translate.ts'
import { AccountsLink } from '../platform-accounts/link.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { useBetaNames, useEpsilonNames, useDepotProgress, useDepotStatus } from './queries.ts'
import { reasonText } from '../../../api/refusal-text.ts'
import { Refusal } from '../../../api/refusal.ts'
import { useJobs, type Job } from '../../../app/use-jobs.ts'
import { useNow } from '../../../app/clock.ts'
import { notify } from '../../../components/toast.tsx'
import { sinceText, durationText } from '../../../format/times.ts'

/** Outside services that name downloads. */
export const Page = () => (
  <SettingsPage title={t('settings.integrations')}>
    <DepotsCard />
    <NamesCard />
    <ImagesCard />
  </SettingsPage>
)

/** Images of games: how many there are, and a way to fetch them anew. */
function ImagesCard() {
  const images = useGameImages()
  return (
    <Card stale={[keys.images]} title={t('images.title')} note={t('images.note')}>
      <Row title={images === undefined ? '' : tn('images.count', images.ids.size)}>
        <Action
          label={t('images.clear')}
          consequence={t('images.clearText')}
          run={() => unwrap(api['game-images'].cache.delete())}
          done={t('images.cleared')}
        />
        <ScheduleLink of="gameImageFetch" />
      </Row>
    </Card>
  )
}

/** Rows of each platform. */
const shownRows = 20

/** Names that Epic and Xbox accounts brought, and how many titles are without one. */
function NamesCard() {
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text.trim())
  const beta = useBetaNames(wanted)
  const epsilon = useEpsilonNames(wanted)
  const rows = [
    ...(beta.data ?? []).slice(0, shownRows).map(({ appId, name }) => ({
      platform: platformFacts['beta'].title,
      id: appId,
      name,
    })),
    ...(epsilon.data ?? []).slice(0, shownRows).map(({ productId, title }) => ({
      platform: platformFacts['epsilon'].title,
      id: productId,
      name: title,
    })),
  ]
  const isThere = beta.data !== undefined && epsilon.data !== undefined
  return (
    <Card title={t('knownNames.title')} note={t('knownNames.note')}>
      <div className="mb-3 flex">
        <SearchField label={t('knownNames.search')} value={text} onChange={setText} />
      </div>
      {!isThere && <Pending error={beta.error ?? epsilon.error} rows={3} />}
      {isThere && rows.length === 0 && (
        <p className="text-small text-dim">
          {t(wanted === '' ? 'knownNames.none' : 'knownNames.noMatch')}
        </p>
      )}
      {rows.length > 0 && (
        <Table
          label={t('knownNames.title')}
          head={[t('knownNames.name'), t('knownNames.platform'), t('knownNames.id')]}
        >
          {rows.map(({ platform, id, name }) => (
            <tr key={`${platform} ${id}`} className="border-b border-line">
              <td className="py-1.5 pr-3">{name}</td>
              <td className="py-1.5 pr-3">{platform}</td>
              <td className="py-1.5 break-all">{id}</td>
            </tr>
          ))}
        </Table>
      )}
      <div className="pt-3">
        <AccountsLink note={t('platformAccounts.ofNames')} />
        <Unnamed />
      </div>
    </Card>
  )
}

/** Titles in the cache that no catalogue knows; they are named on a page of their own. */
function Unnamed() {
  const { data } = useUnnamed()
  if (data === undefined) return null
  const count = data.filter(({ gameName }) => gameName === null).length
  return (
    <Row
      title={t('knownNames.unnamed')}
      note={count === 0 ? t('knownNames.allNamed') : t('knownNames.unnamedNote')}
    >
      <span className="figure">{countText(count)}</span>
      <Link to="/cache/unnamed" className="link">
        {t('knownNames.open')}
      </Link>
    </Row>
  )
}

type Progress = NonNullable<ReturnType<typeof useDepotProgress>['data']>

const modes = [
  { value: 'github', label: 'depots.modeList' },
  { value: true, label: 'depots.modeChanges' },
  { value: false, label: 'depots.modeFull' },
] as const

const depotsStale = [keys.depots, keys.operations]

/** Names of Steam games: where they come from, when, and how the last search ended. */
function DepotsCard() {
  const { data, error } = useDepotProgress()
  const { data: status } = useDepotStatus()
  const { running } = useJobs(['depotMapping'])
  return (
    <Card title={t('depots.title')} note={t('depots.note')} stale={depotsStale}>
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
  const { save: cancel } = useSave({ stale: depotsStale })
  const importList = () =>
    unwrap(api.depots.import.post(undefined, { query: { source: 'github' } }))
  return (
    <Row title={t('depots.run')} note={t('depots.runNote')} stale={depotsStale}>
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
          <Action label={t('depots.import')} run={importList} done={t('depots.imported')} />
          <Action
            label={t('depots.crawl')}
            run={() => crawl(hasMappings)}
            done={t('depots.started')}
          />
          <Action label={t('depots.check')} run={check} />
          <Action
            label={t('depots.apply')}
            run={() => unwrap(api.depots.patch())}
            done={t('depots.applied')}
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

function LastRun({ progress, job }: { progress: Progress; job: Job | undefined }) {
  const now = useNow(30_000)
  const { lastCrawlTime, errorMessage, status, automaticScanSkipped } = progress
  if (job !== undefined) {
    return (
      <StateLine tone="good">
        {t(known(`depots.phase.${status}`) ?? 'depots.phase.other')} ·{' '}
        {percentText(job.percentComplete)}
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
  return (
    <>
      <ChoiceSetting
        id="depots.mode"
        isFlat
        value={crawlIncrementalMode}
        options={modes.map(({ value, label }) => ({ value, label: t(label) }))}
        write={(mode) => unwrap(api.depots.rebuild.config.mode.put(mode))}
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
