import { getRouteApi, useNavigate } from '@tanstack/react-router'
import {
  useAway,
  useCacheInfo,
  useDatasources,
  useDetection,
  useIndexStates,
} from '../../api/cache-queries.ts'
import { Trouble } from '../../components/notice.tsx'
import { t } from '../../locales/translate.ts'
import { LaterCard } from './away/later-card.tsx'
import { CacheFrame } from './cache-page.tsx'
import { ClearCard } from './clear-card.tsx'
import { GateNote } from './gate-note.tsx'
import { GrowthCard } from '../../components/growth/growth-card.tsx'
import { JobsCard } from '../../components/jobs-card.tsx'
import { LeadFigures } from './lead-figures.tsx'
import { EvictionCard } from './outlook/eviction-card.tsx'
import { SizesCard } from './outlook/sizes-card.tsx'
import { VolumeCard } from './outlook/volume-card.tsx'
import { ScanCard } from './scan-card.tsx'
import { ServicesCard } from './services-card.tsx'
import { SourcesCard } from './sources-card.tsx'
import { useGates } from './use-gates.ts'

const route = getRouteApi('/cache')

/** Contents of the cache, free space and the state of the index. */
export function Page() {
  const { days = 30 } = route.useSearch()
  const navigate = useNavigate()
  const { data: info, error } = useCacheInfo()
  const { data: detection } = useDetection()
  const datasources = useDatasources()
  const facts = datasources.data?.items
  const states = useIndexStates().data?.items
  const gates = useGates()
  const away = new Set(useAway().flatMap(({ datasources: names }) => names))
  // Datasources that share a folder are counted once, those of a node that is away not at all.
  const walked = (states ?? []).filter(
    ({ datasource, sharedWith, walkedAt }) =>
      sharedWith === null && walkedAt !== null && !away.has(datasource),
  )
  const indexed =
    walked.length === 0
      ? null
      : {
          files: walked.reduce((sum, { files }) => sum + files, 0),
          bytes: walked.reduce((sum, { bytes }) => sum + bytes, 0),
        }
  const names = (facts ?? []).map(({ name }) => {
    const state = states?.find(({ datasource }) => datasource === name)
    return { name, bytes: state?.bytes ?? null, isShared: (state?.sharedWith ?? null) !== null }
  })
  return (
    <CacheFrame>
      {error !== null && info === undefined && (
        <div className="card mb-3.5">
          <Trouble error={error} className="py-10" />
        </div>
      )}
      <LeadFigures info={info} indexed={indexed} detection={detection} isFailed={error !== null} />
      <GateNote gates={gates.all} consequence={t('cache.gated')} />
      <LaterCard />
      <JobsCard types={['cacheSizeScan', 'cacheClearing', 'gameRemoval', 'serviceRemoval']} />
      <div className="grid gap-3.5 lg:grid-cols-12">
        <GrowthCard
          days={days}
          onDays={(next) =>
            void navigate({ to: '/cache', search: { days: next }, resetScroll: false })
          }
          className="lg:col-span-8"
        />
        <ServicesCard info={info} error={error} detection={detection} className="lg:col-span-4" />
        <SizesCard className="lg:col-span-8" />
        <EvictionCard className="lg:col-span-4" />
        <VolumeCard className="lg:col-span-12" />
        <SourcesCard
          facts={facts}
          error={datasources.error}
          states={states}
          className="lg:col-span-8"
        />
        <ScanCard info={info} className="lg:col-span-4" />
        <ClearCard datasources={names} className="lg:col-span-12" />
      </div>
    </CacheFrame>
  )
}
