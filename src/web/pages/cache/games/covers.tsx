import { useNow } from '../../../app/use-now.ts'
import { Shelf } from '../../../components/shelf/shelf.tsx'
import type { ShelfItem } from '../../../components/shelf/items.ts'
import { percentText, share } from '../../../format/numbers.ts'
import { serviceName } from '../../../format/services.ts'
import { agoText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { reportOf, type Entry } from './entries.ts'
import { titleOfEntry } from './entry-title.ts'

interface CoversProps {
  rows: readonly Entry[]
  selected: ReadonlySet<string>
  onSelect: (key: string) => void
  onOpen: (key: string) => void
}

/** How much of what was stored of an entry was evicted since. */
function badgeOf({ files, bytes, evictedDownloads, evictedBytes }: Entry): ShelfItem['badge'] {
  if (files === 0) return { tone: 'quiet', label: t('downloads.evicted') }
  if (evictedDownloads === 0) return null
  const percent = percentText(share(evictedBytes, bytes + evictedBytes))
  return { tone: 'attention', label: t('cache.evictedShare', { percent }) }
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

/** The entries as covers, of which some are chosen for removal. */
export function Covers({ rows, selected, onSelect, onOpen }: CoversProps) {
  const now = useNow(60_000)
  return (
    <Shelf
      label={t('cache.tabGames')}
      items={rows.map((entry) => itemOf(entry, now))}
      selected={selected}
      onToggle={onSelect}
      onOpen={onOpen}
    />
  )
}
