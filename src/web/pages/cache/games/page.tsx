import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useDetection, type CachedDetection } from '../../../api/cache-queries.ts'
import { Notice, NoticeCard, Pending } from '../../../components/card.tsx'
import { serviceName } from '../../../format/services.ts'
import { t, tn } from '../../../locales/translate.ts'
import { StartButton } from '../../../components/start-button.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { Button } from '../../../components/form-controls.tsx'
import { LaterCard } from '../away/later-card.tsx'
import { CacheFrame } from '../cache-page.tsx'
import { GateNote } from '../gate-note.tsx'
import { JobsCard } from '../../../components/jobs-card.tsx'
import { removedAtOnceMax, RemovalDialog } from '../removal/removal-dialog.tsx'
import { useGates } from '../use-gates.ts'
import { DetectionLine } from './detection-line.tsx'
import {
  entriesOf,
  shownEntries,
  wholeService,
  type Entry,
  sumOf,
  reportOf,
  titleOfEntry,
} from './entries.ts'
import { EntryPanel } from './entry-panel.tsx'
import { Filters, useAddress } from './filters.tsx'
import { EntryList } from './list.tsx'
import { ShelfBar } from '../../../components/shelf/shelf-bar.tsx'
import { byteText, countText } from '../../../format/numbers.ts'
import { useNow } from '../../../app/clock.ts'
import { Shelf } from '../../../components/shelf/shelf.tsx'
import type { ShelfItem } from '../../../components/shelf/items.ts'
import { agoText } from '../../../format/times.ts'

/** Jobs that remove files from the cache. */
const removalTypes = ['gameRemoval', 'serviceRemoval', 'cacheClearing'] as const
const jobTypes = ['gameDetection', ...removalTypes] as const

/** Games and services in the cache: the size of each, and their removal. */
export function Page() {
  const { data, error } = useDetection()
  return (
    <CacheFrame title={t('cache.tabGames')}>
      <DetectionLine />
      <GateNote gates={useGates().all} consequence={t('cache.gated')} />
      <LaterCard />
      <JobsCard types={jobTypes} />
      {data === undefined ? (
        <div className="card">
          <Pending isList error={error} rows={8} />
        </div>
      ) : (
        <Games detection={data} />
      )}
    </CacheFrame>
  )
}

function Games({ detection }: { detection: CachedDetection }) {
  const isBarred = useGates().all.length > 0
  const now = useNow(60_000)
  const { search, change } = useAddress()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  /** Being removed: its panel must not reopen and request it again. */
  const [left, setLeft] = useState<string | undefined>()
  const [removing, setRemoving] = useState<readonly Entry[]>([])
  const entries = useMemo(() => entriesOf(detection), [detection])
  const rows = shownEntries(entries, search)
  const chosen = entries.filter(({ key }) => selected.has(key))
  const { service } = search
  const open = entries.find(({ key }) => key === search.open)
  const show = (key: string) => {
    setLeft(undefined)
    change({ open: key })
  }
  const select = (key: string) => {
    const next = new Set(selected)
    if (!next.delete(key)) next.add(key)
    setSelected(next)
  }
  return (
    <>
      <Filters entries={entries}>
        {service !== undefined && (
          <Button disabled={isBarred} onClick={() => setRemoving([wholeService(service)])}>
            {t('removal.service', { name: serviceName(service) })}
          </Button>
        )}
        <Button
          disabled={rows.every(({ files }) => files === 0)}
          onClick={() =>
            setSelected(
              new Set(
                rows
                  .filter(({ files }) => files > 0)
                  .slice(0, removedAtOnceMax)
                  .map(({ key }) => key),
              ),
            )
          }
        >
          {t('cache.selectAll')}
        </Button>
      </Filters>
      {rows.length === 0 ? (
        <NoGames isFiltered={entries.length > 0} hasRun={detection.hasCachedResults} />
      ) : search.view === 'list' ? (
        <EntryList
          rows={rows}
          selected={selected}
          onSelect={select}
          onOpen={({ key }) => show(key)}
        />
      ) : (
        <Shelf
          label={t('cache.tabGames')}
          items={rows.map((entry) => itemOf(entry, now))}
          selected={selected}
          onToggle={select}
          onOpen={show}
        />
      )}
      <SelectionBar
        chosen={chosen}
        onClear={() => setSelected(new Set())}
        onRemove={() => setRemoving(chosen)}
      />
      <SidePanel
        isInAddress
        title={open === undefined ? t('cache.entry') : titleOfEntry(open)}
        // The confirmation replaces it.
        isOpen={search.open !== undefined && search.open !== left && removing.length === 0}
        onClose={() => change({ open: undefined })}
      >
        {open === undefined ? (
          <Notice title={t('cache.entryGone')} className="py-10">
            {t('cache.entryGoneText')}
          </Notice>
        ) : (
          <EntryPanel key={open.key} entry={open} onRemove={() => setRemoving([open])} />
        )}
      </SidePanel>
      {removing.length > 0 && (
        <RemovalDialog
          targets={removing.slice(0, removedAtOnceMax)}
          onClose={() => setRemoving([])}
          onStarted={() => {
            setSelected(new Set())
            setRemoving([])
            setLeft(search.open)
            if (search.open !== undefined) change({ open: undefined })
          }}
        />
      )}
    </>
  )
}

/** Offers what brings games: a scan, fewer filters, or a prefill. */
function NoGames({ hasRun, isFiltered }: { hasRun: boolean; isFiltered: boolean }) {
  const { view } = useAddress().search
  if (!hasRun) {
    return (
      <NoticeCard
        title={t('cache.neverDetected')}
        action={<StartButton job="cache-detect" label="palette.detect" />}
      >
        {t('cache.neverDetectedText')}
      </NoticeCard>
    )
  }
  return isFiltered ? (
    <NoticeCard
      title={t('cache.noMatch')}
      action={
        <Link to="/cache/games" search={{ view }} className="control">
          {t('downloads.clearFilters')}
        </Link>
      }
    >
      {t('cache.noMatchText')}
    </NoticeCard>
  ) : (
    <NoticeCard
      title={t('cache.nothing')}
      action={
        <Link to="/prefill" className="control">
          {t('cache.toPrefill')}
        </Link>
      }
    >
      {t('cache.nothingText')}
    </NoticeCard>
  )
}

interface SelectionBarProps {
  chosen: readonly Entry[]
  onClear: () => void
  onRemove: () => void
}

/** What the selected entries free, and their removal; stays visible while scrolling. */
function SelectionBar({ chosen, onClear, onRemove }: SelectionBarProps) {
  const isBarred = useGates().all.length > 0
  const { bytes, files } = sumOf(chosen)
  return (
    <ShelfBar
      label={t('cache.selection')}
      actions={
        <>
          {chosen.length > 0 && <Button onClick={onClear}>{t('cache.unselect')}</Button>}
          <Button
            className="border-bad text-bad"
            disabled={isBarred || chosen.length === 0}
            onClick={onRemove}
          >
            {t('removal.ask')}
          </Button>
        </>
      }
    >
      {chosen.length === 0 ? (
        <p className="text-dim">{t('cache.choose')}</p>
      ) : (
        <p className="figure" title={t('cache.exactly', { bytes: countText(bytes) })}>
          <strong className="font-semibold">{tn('count.selected', chosen.length)}</strong>
          <span className="text-dim">
            {` · ${t('cache.willFree', { size: byteText(bytes) })} · ${tn('count.files', files)}`}
          </span>
        </p>
      )}
    </ShelfBar>
  )
}

/** Without a share: several clients may have downloaded the same evicted files. */
function badgeOf({ files, evictedDownloads }: Entry): ShelfItem['badge'] {
  if (files > 0 && evictedDownloads === 0) return null
  return { tone: 'quiet', label: t(files === 0 ? 'downloads.evicted' : 'cache.partlyEvicted') }
}

function itemOf(entry: Entry, now: Date): ShelfItem {
  const { key, kind, service, files, bytes, lastStoredAt } = entry
  const name = titleOfEntry(entry)
  const note = [
    kind === 'service' ? t('downloads.untitled') : serviceName(service),
    lastStoredAt === null ? '' : agoText(new Date(lastStoredAt), now),
  ]
  return {
    key,
    name,
    service,
    image: reportOf(entry),
    badge: badgeOf(entry),
    note: note.filter((part) => part !== '').join(' · '),
    bytes: files === 0 ? null : bytes,
    isOff: files === 0,
  }
}
