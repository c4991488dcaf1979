import { t } from '../../../locales/translate.ts'
import { GateNote } from '../gate-note.tsx'
import { useGates } from '../use-gates.ts'
import { HistoryCard } from './history-card.tsx'
import { MethodCard } from './method-card.tsx'
import { PastNote } from './past-note.tsx'
import { corruptionKey, useCurrentScan, useScans, type Method } from './queries.ts'
import { RecentRemovals } from './recent-removals.tsx'
import { Results } from './results.tsx'
import { ScanProgress } from './scan-progress.tsx'
import { type CorruptionSearch } from './search.ts'
import { useStaleAfter } from '../../../app/use-stale-after.ts'

const stale = [corruptionKey]

interface FilesCheckProps {
  search: CorruptionSearch
  onChange: (part: CorruptionSearch) => void
}

/** Finds corrupted cache files and removes exactly those. */
export function FilesCheck({ search, onChange: change }: FilesCheckProps) {
  const gates = useGates()
  useStaleAfter(['corruptionDetection', 'corruptionRemoval', 'cacheClearing'], stale)
  const structural = useCurrentScan('structural')
  const missed = useCurrentScan('repeated_miss')
  const scans = useScans()
  const past = scans.data?.find(({ id, isCurrent }) => id === search.scan && !isCurrent) ?? null
  const method: Method =
    past?.method ?? (search.method === 'missed' ? 'repeated_miss' : 'structural')
  const shown = method === 'structural' ? structural : missed
  const show = (next: Method) =>
    change({
      method: next === 'repeated_miss' ? 'missed' : undefined,
      scan: undefined,
      service: undefined,
      open: undefined,
    })
  return (
    <>
      <GateNote gates={gates.keys} consequence={t('corruption.gateSearch')} />
      <GateNote gates={gates.write} consequence={t('corruption.gateRemove')} />
      <div className="mb-3 grid grid-cols-[minmax(0,1fr)] items-stretch gap-3 lg:grid-cols-2">
        <MethodCard
          method="structural"
          scan={structural.data}
          isShown={method === 'structural'}
          isBarred={gates.keys.length > 0}
          onShow={() => show('structural')}
        />
        <MethodCard
          method="repeated_miss"
          scan={missed.data}
          isShown={method === 'repeated_miss'}
          isBarred={gates.keys.length > 0}
          onShow={() => show('repeated_miss')}
        />
      </div>
      <ScanProgress />
      <RecentRemovals />
      {past !== null && <PastNote scan={past} onLeave={() => show(method)} />}
      <Results
        key={`${past?.id ?? shown.data?.id} ${search.service}`}
        scan={past ?? shown.data}
        method={method}
        error={shown.error}
        search={search}
        canRemove={gates.all.length === 0}
        canWriteLogs={gates.canWriteLogs}
        onChange={change}
      />
      <HistoryCard scans={scans.data} shown={past?.id ?? shown.data?.id} onChange={change} />
    </>
  )
}
