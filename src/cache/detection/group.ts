import type { CacheContent } from '../../engines/cache/contract.ts'
import { type GameIdentity, gameKey, gameOf, type TitleRow } from '../../catalogue/contract.ts'
import type { EvictedDetail, EvictedRow } from './store.ts'

/** Services too generic to list when nothing more specific is known. */
const unlisted: ReadonlySet<string> = new Set(['', 'unknown', 'localhost'])
const sampleUrlsMax = 5
const evictedUrlsMax = 20

/** A game, or a service's content that belongs to no game, with its files in the cache. */
export interface Found {
  identity: GameIdentity
  service: string
  imageUrl: string | null
  files: number
  bytes: number
  /** Of its newest cache file, Unix seconds; 0 without files. */
  lastStoredAt: number
  depotIds: number[]
  sampleUrls: string[]
  datasources: string[]
  contentIds: number[]
  titleKeys: string[]
  /** At least one download is evicted, and so are all that carried bytes. */
  isEvicted: boolean
  evictedDownloads: number
  evictedBytes: number
  evictedUrls: string[]
  evictedDepotIds: number[]
}

export interface Facts {
  contents: readonly CacheContent[]
  /** Empty while the history is away. */
  titles: readonly TitleRow[]
  evicted: readonly EvictedRow[]
  evictedDetails: readonly EvictedDetail[]
}

interface Draft extends Found {
  downloads: number
}

/**
 * Groups the contents of the cache into games and services, largest first. Evicted ones are listed
 * too, without files.
 */
export function groupFound(facts: Facts): { games: Found[]; services: Found[] } {
  const titles = new Map(facts.titles.map((row) => [row.titleKey, row]))
  const drafts = new Map<string, Draft>()

  /** Downloads of a title that remain; counted only for what is listed for another reason. */
  function countPresent({ titleKey, service, downloads }: EvictedRow): void {
    const draft = drafts.get(gameKey(gameOf(titleKey, service, titles.get(titleKey))))
    if (draft !== undefined) draft.downloads += downloads
  }

  function draftOf(titleKey: string, service: string): Draft {
    const row = titles.get(titleKey)
    const identity = gameOf(titleKey, service, row)
    const key = gameKey(identity)
    let draft = drafts.get(key)
    if (draft === undefined) {
      draft = blank(identity, identity.kind === 'named' ? identity.service : service)
      drafts.set(key, draft)
    }
    nameFirst(draft.identity, identity)
    draft.imageUrl ??= row?.imageUrl ?? null
    if (!draft.titleKeys.includes(titleKey)) draft.titleKeys.push(titleKey)
    const isDepot = identity.kind === 'alpha' && identity.depotId !== null
    if (isDepot && identity.depotId !== null && !draft.depotIds.includes(identity.depotId)) {
      draft.depotIds.push(identity.depotId)
    }
    return draft
  }

  for (const content of facts.contents)
    addContent(draftOf(content.titleKey, content.service), content)
  for (const row of facts.evicted) {
    if (row.evictedDownloads === 0) continue
    const draft = draftOf(row.titleKey, row.service)
    draft.downloads += row.downloads
    draft.evictedDownloads += row.evictedDownloads
    const { identity } = draft
    const depotId = row.titleKey.startsWith('alpha:') ? Number(row.titleKey.slice(6)) : null
    const isNew = depotId !== null && !draft.evictedDepotIds.includes(depotId)
    if (identity.kind === 'alpha' && isNew) draft.evictedDepotIds.push(depotId)
  }
  for (const row of facts.evicted) if (row.evictedDownloads === 0) countPresent(row)
  for (const detail of facts.evictedDetails) {
    const draft = draftOf(detail.titleKey, detail.service)
    draft.evictedBytes += detail.bytes
    const urls = new Set([...draft.evictedUrls, ...detail.urls])
    draft.evictedUrls = [...urls].slice(0, evictedUrlsMax)
  }
  const all = [...drafts.values()].map(finish).filter(isListed)
  all.sort((a, b) => b.bytes - a.bytes || gameKey(a.identity).localeCompare(gameKey(b.identity)))
  return {
    games: all.filter(({ identity }) => identity.kind !== 'service'),
    services: all.filter(({ identity }) => identity.kind === 'service'),
  }
}

const isNamed = (game: GameIdentity) => game.kind !== 'alpha' || !game.isUnknown

/** Titles of one game may differ in name, when one was named by hand: reports show the first, too. */
function nameFirst(game: GameIdentity, other: GameIdentity): void {
  if (game.kind === 'service' || other.kind === 'service') return
  if (isNamed(game) && isNamed(other) && other.name < game.name) game.name = other.name
}

const blank = (identity: GameIdentity, service: string): Draft => ({
  identity,
  service,
  imageUrl: null,
  files: 0,
  bytes: 0,
  lastStoredAt: 0,
  depotIds: [],
  sampleUrls: [],
  datasources: [],
  contentIds: [],
  titleKeys: [],
  isEvicted: false,
  evictedDownloads: 0,
  evictedBytes: 0,
  evictedUrls: [],
  evictedDepotIds: [],
  downloads: 0,
})

function addContent(draft: Draft, content: CacheContent): void {
  if (content.files === 0) return
  draft.files += content.files
  draft.bytes += content.bytes
  draft.lastStoredAt = Math.max(draft.lastStoredAt, content.lastStoredAt)
  draft.contentIds.push(content.id)
  if (!draft.datasources.includes(content.datasource)) draft.datasources.push(content.datasource)
  draft.sampleUrls.push(...content.sampleUris)
}

const shortest = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1)

function finish({ downloads, ...found }: Draft): Found {
  return {
    ...found,
    sampleUrls: [...new Set(found.sampleUrls)].sort(shortest).slice(0, sampleUrlsMax),
    depotIds: found.depotIds.sort((a, b) => a - b),
    evictedDepotIds: found.evictedDepotIds.sort((a, b) => a - b),
    isEvicted: found.evictedDownloads > 0 && found.evictedDownloads >= downloads,
  }
}

export const isInCache = ({ files, isEvicted }: Found): boolean => files > 0 && !isEvicted

/** In the cache now or earlier; generic services are left out. */
const isListed = ({ identity, files, evictedDownloads }: Found): boolean => {
  if (identity.kind === 'service' && unlisted.has(identity.service)) return false
  return files > 0 || evictedDownloads > 0
}
