/*
 * A far page in order of time begins at a block of days instead of walking an index from its end:
 * kept sums say how many single downloads began in each block. In order of ends those that were
 * under way at its border are counted, too.
 */
import type { Fragment, Sql } from 'postgres'
import { blockSeconds, keptSingles } from './retro-period.ts'
import type { RetroQuery } from './retro-query.ts'
import { askedRules, hitRule, isLoose } from './retro-rules.ts'

/** Running downloads grow while a shape is cached, which is a minute at most. */
export const growthSeconds = 300

/** Fewer rows are skipped in less time than the blocks take to add up. */
export const farRows = 5000

/** Single downloads that began in a block of days. */
export interface Block {
  /** The service where the view is sorted by it, else empty. */
  name: string
  /** Number of the block since 1970. */
  block: number
  downloads: number
  /** No later than this; null when all of them were subtracted. */
  lastAt: number | null
}

/** Where a page begins: between two instants that hold its rows, and so many rows further. */
export interface Start {
  skip: number
  rule: (sql: Sql) => Fragment
}

/** The conditions of a view for its single downloads. */
export function singleRules(sql: Sql, query: RetroQuery): Fragment {
  const isHit = sql`(hit_bytes >= miss_bytes AND hit_bytes > 0)`
  const kept = { ...query, period: keptSingles(query) }
  return sql`${isLoose(sql)} ${askedRules(sql, kept)} ${hitRule(sql, query, isHit)}`
}

/** True for views that `looseBlocks` counts. */
export const isSeekable = (query: RetroQuery): boolean =>
  ['latest', 'oldest', 'sessions', 'service'].includes(query.sort) &&
  query.search === null &&
  !query.hideUnknown &&
  query.eventId === null

const named = (sql: Sql, { sort }: RetroQuery, name: string): Fragment =>
  sort === 'service' ? sql`AND service = ${name}` : sql``

/** Downloads that began before an instant and ended after it. */
async function spanning(
  sql: Sql,
  query: RetroQuery,
  { name, at, lastAt }: { name: string; at: number; lastAt: number },
): Promise<number> {
  if (lastAt < at) return 0
  const [row] = await sql<{ downloads: number }[]>`
    SELECT count(*)::float8 AS downloads FROM downloads
    WHERE ${singleRules(sql, query)} ${named(sql, query, name)} AND started_at < to_timestamp(${at})
      AND ended_at >= to_timestamp(${at}) AND ended_at < to_timestamp(${lastAt + 1})`
  return row?.downloads ?? 0
}

interface Wanted {
  name: string
  isReversed: boolean
  skip: number
  take: number
}

/** Where to begin so that as few rows as possible are skipped; null: at the end of the index. */
export async function startOf(
  sql: Sql,
  query: RetroQuery,
  { name, isReversed, skip, take }: Wanted,
  all: readonly Block[],
): Promise<Start | null> {
  const blocks = all.filter((block) => block.name === name)
  const isByStart = query.sort === 'oldest'
  const isNewestFirst = isByStart === isReversed
  const total = blocks.reduce((sum, { downloads }) => sum + downloads, 0)
  // Borders from the far end of the list to the near one.
  const borders: { at: number; begun: number; lastAt: number; over: number }[] = []
  let before = 0
  let lastAt = 0
  for (const one of blocks) {
    const begun = isNewestFirst ? total - before : before
    const at = one.block * blockSeconds
    // Everything that began before is over then.
    const over = isByStart ? at : Math.max(at, lastAt + growthSeconds)
    borders.push({ at, begun, lastAt, over })
    before += one.downloads
    lastAt = Math.max(lastAt, one.lastAt ?? 0)
  }
  const inOrder = isNewestFirst ? borders : borders.toReversed()
  for (const { at, begun, lastAt: last } of inOrder.filter((border) => border.begun <= skip)) {
    const over = isByStart ? 0 : await spanning(sql, query, { name, at, lastAt: last })
    const passed = isNewestFirst ? begun + over : begun - over
    if (passed > skip) continue
    const column = isByStart ? 'started_at' : 'ended_at'
    const [from, until] = isNewestFirst
      ? [borders.findLast((border) => border.begun >= skip + take)?.at, at]
      : [at, borders.find((border) => border.begun >= skip + take)?.over]
    return {
      skip: skip - passed,
      rule: (client) => client`
        ${from === undefined ? client`` : client`AND ${client(column)} >= to_timestamp(${from})`}
        ${until === undefined ? client`` : client`AND ${client(column)} < to_timestamp(${until})`}`,
    }
  }
  return null
}
