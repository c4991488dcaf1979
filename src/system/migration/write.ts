import type { Sql } from 'postgres'
import { DayNames } from '../../engines/logs/downloads/day-names.ts'
import type { DownloadRow, TrafficRow } from '../../engines/shipper/contract.ts'
import { faultOf } from '../../engines/shipper/refusal.ts'
import { RowsRefused, shipBatch } from '../../engines/shipper/ship.ts'
import { describeTitle } from '../../engines/titles/titles.ts'
import { admit, type Admitted } from './admit.ts'
import { countReason, type Counts } from './counts.ts'
import { firstImportedId, type FirstLines } from './overlap.ts'
import type { SourceRow } from './source.ts'

const idSpan = 899_999_999_999_999n
const bucketSeconds = 300

export interface WriteOptions {
  overwrites: boolean
  /** Null: the time that Larder has counted is imported as well. */
  limits: FirstLines | null
  counts: Counts
}

/** A download of the history, as far as it is compared or kept. */
type Known = Omit<DownloadRow, 'objectKeys' | 'endedAt'>

interface Numbered extends Admitted {
  id: number
}

/** Of a known download only bytes and end are replaced: its traffic stands under its own title. */
function downloadOf({ download, id }: Numbered, known: Known | undefined): DownloadRow {
  const { endedAt, hitBytes, missBytes } = download
  return {
    ...download,
    id,
    ...known,
    endedAt: Math.max(endedAt, known?.startedAt ?? 0),
    hitBytes,
    missBytes,
    objectKeys: [],
    revision: (known?.revision ?? 0) + 1,
  }
}

/** Its bytes in the five minutes of its start; of a known download, the difference. */
function trafficOf(row: DownloadRow, known: Known | undefined): TrafficRow {
  const { datasource, service, client, titleKey, isPrefill, startedAt, endedAt } = row
  const isNew = known === undefined
  return {
    datasource,
    service,
    client,
    titleKey,
    isPrefill,
    bucketAt: Math.floor(startedAt / bucketSeconds) * bucketSeconds,
    hitBytes: row.hitBytes - (known?.hitBytes ?? 0),
    missBytes: row.missBytes - (known?.missBytes ?? 0),
    requests: isNew ? row.requests : 0,
    failedRequests: 0,
    downloads: isNew ? 1 : 0,
    firstAt: startedAt,
    lastAt: endedAt,
  }
}

const keyOf = ({ client, startedAt, service }: Pick<Known, 'client' | 'startedAt' | 'service'>) =>
  `${client} ${startedAt} ${service}`

interface KnownRows {
  byId: Map<number, Known>
  /** Those that Larder counted from logs, by `keyOf`. */
  own: Map<string, Known[]>
}

/** Downloads of the history with an id, or counted by Larder with a client and a start, of these. */
async function knownOf(sql: Sql, rows: Numbered[]): Promise<KnownRows> {
  const asked = rows.map(({ id, download: { client, startedAt } }) => ({ id, client, startedAt }))
  const known = await sql<Known[]>`
    with asked as (
      select * from jsonb_to_recordset(${JSON.stringify(asked)}::text::jsonb)
        as row (id bigint, client text, "startedAt" bigint)
    )
    select d.id::float8 as id, d.datasource, d.service, d.tag, d.client,
      d.title_key as "titleKey", d.is_prefill as "isPrefill", d.last_url as "lastUrl",
      extract(epoch from d.started_at)::float8 as "startedAt",
      d.hit_bytes::float8 as "hitBytes", d.miss_bytes::float8 as "missBytes",
      d.requests::float8 as requests, d.revision
    from downloads d where d.id in (
      select id from asked
      union
      select own.id from asked join downloads own
        on own.started_at = to_timestamp(asked."startedAt") and own.client = asked.client
      where own.id < ${firstImportedId}
    ) order by d.id`
  const counted = known.filter(({ id }) => id < firstImportedId)
  return {
    byId: new Map(known.map((one) => [one.id, one])),
    own: Map.groupBy(counted, keyOf),
  }
}

/** One transaction; divided while rows are refused, so that only these are errors. */
async function store(sql: Sql, downloads: DownloadRow[], traffic: TrafficRow[], counts: Counts) {
  if (downloads.length === 0) return
  const batch = { batchId: crypto.randomUUID(), downloads, traffic }
  try {
    await shipBatch(sql, batch, { describeTitle, knownTitles: new Set() })
    counts.imported += downloads.length
  } catch (error) {
    if (!(error instanceof RowsRefused) || faultOf(error) === null) throw error
    if (downloads.length === 1) return countReason(counts, 'history')
    const middle = Math.ceil(downloads.length / 2)
    await store(sql, downloads.slice(0, middle), traffic.slice(0, middle), counts)
    await store(sql, downloads.slice(middle), traffic.slice(middle), counts)
  }
}

/** Gives titles the source's names where the history has none. */
async function nameTitles(sql: Sql, rows: Admitted[]): Promise<void> {
  const found = new Map<string, { key: string; name: string | null; app: number | null }>()
  for (const { download, gameName, gameAppId } of rows) {
    const { titleKey } = download
    if (titleKey === '' || (gameName === null && gameAppId === null)) continue
    const known = found.get(titleKey)
    const name = known?.name ?? gameName
    found.set(titleKey, { key: titleKey, name, app: known?.app ?? gameAppId })
  }
  if (found.size === 0) return
  await sql`
    update titles set updated_at = now(), game_name = coalesce(game_name, row.name),
      game_app_id = coalesce(game_app_id, case when platform = 'alpha' then row.app end)
    from jsonb_to_recordset(${JSON.stringify([...found.values()])}::text::jsonb)
      as row (key text, name text, app bigint)
    where title_key = row.key and ((game_name is null and row.name is not null)
      or (game_app_id is null and row.app is not null and platform = 'alpha'))`
}

/** Ids of downloads: the same row of the source always gets the same, so that it is found again. */
function createNumbers() {
  /** The start that is being read, and how often each identity had it. */
  let mark = ''
  let identities = new Map<string, number>()
  return (admitted: Admitted, row: SourceRow): Numbered => {
    if (row.mark !== mark) identities = new Map()
    mark = row.mark
    const nth = (identities.get(admitted.identity) ?? 0) + 1
    identities.set(admitted.identity, nth)
    const hash = Bun.hash.xxHash64(`${admitted.identity}\n${nth === 1 ? '' : nth}`)
    return { ...admitted, id: firstImportedId + Number(hash % idSpan) }
  }
}

/** Finds the download of the history that a row stands for; each stands for one row only. */
function createMatcher() {
  let second = Number.NaN
  let taken = new Set<number>()
  return ({ id, download }: Numbered, known: KnownRows): Known | undefined => {
    const { startedAt, titleKey } = download
    if (startedAt !== second) taken = new Set()
    second = startedAt
    const own = known.own.get(keyOf(download))?.filter((one) => !taken.has(one.id)) ?? []
    const hasKey = titleKey !== '' && !titleKey.startsWith('named:')
    const match =
      known.byId.get(id) ??
      own.find((one) => one.titleKey === titleKey) ??
      own.find((one) => !hasKey || one.titleKey === '')
    if (match !== undefined) taken.add(match.id)
    return match
  }
}

/**
 * Writes the downloads of a source with their traffic, batch by batch, in the order of their start.
 * Repeating it changes nothing: imported downloads are found by their id, those that Larder counted
 * by client, start, service and title.
 */
export function createWriter(sql: Sql, { overwrites, limits, counts }: WriteOptions) {
  const names = new DayNames({ dayNames: () => [] }, () => {})
  const numbered = createNumbers()
  const matched = createMatcher()

  /** Rows that the history may hold; the others are counted, unless an earlier run did. */
  function admittedOf(rows: SourceRow[], done: number): Numbered[] {
    return rows.flatMap((row, index) => {
      const found = admit(row, names)
      if (typeof found === 'string') {
        if (index >= done) countReason(counts, found)
        return []
      }
      const one = numbered(found, row)
      if (index < done) return []
      const { datasource, startedAt } = one.download
      if (limits !== null && startedAt >= (limits.byDatasource.get(datasource) ?? limits.others)) {
        countReason(counts, 'counted')
        return []
      }
      return [one]
    })
  }

  /** `done`: how many of the first rows an earlier run dealt with. */
  return async (rows: SourceRow[], done: number): Promise<void> => {
    const admitted = admittedOf(rows, done)
    const known = await knownOf(sql, admitted)
    const downloads: DownloadRow[] = []
    const traffic: TrafficRow[] = []
    for (const row of admitted) {
      const match = matched(row, known)
      if (match !== undefined && !overwrites) {
        countReason(counts, 'existing')
        continue
      }
      const download = downloadOf(row, match)
      downloads.push(download)
      traffic.push(trafficOf(download, match))
    }
    await store(sql, downloads, traffic, counts)
    await nameTitles(sql, admitted)
    names.take()
  }
}
