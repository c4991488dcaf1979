import type { Sql } from 'postgres'
import type { CacheParts } from '../parts.ts'
import { excludedClients } from '../../clients/contract.ts'
import type { Detection } from '../detection/detection.ts'
import type { Found } from '../detection/group.ts'
import { AppError, orNotFound } from '../../core/http/errors.ts'
import {
  applyHandNames,
  createTitleReset,
  forgetHandName,
  gameKey,
  keepHandName,
  readHandNames,
} from '../../catalogue/contract.ts'
import type { UnnamedTitle } from './model.ts'

/** Unnamed titles in one answer, largest first. */
const unnamedMax = 1000
/** Paths of one game per answer. */
const pathsMax = 1000
/** Addresses of one title per answer. */
const samplesMax = 5

const isUnknown = ({ identity }: Found): boolean =>
  identity.kind === 'service' || (identity.kind === 'alpha' && identity.isUnknown)

interface Served {
  titleKey: string
  service: string
  downloads: number
  servedBytes: number
}

/** Titles of the history without a name, most bytes first, and those of `keys`. */
const servedTitles = (sql: Sql, keys: readonly string[], hidden: readonly string[]) => sql<
  Served[]
>`
  SELECT title_key AS "titleKey", min(served.service) AS service,
    coalesce(sum(downloads) FILTER (WHERE is_shown), 0)::float8 AS downloads,
    coalesce(sum(hit_bytes + miss_bytes) FILTER (WHERE is_shown), 0)::float8 AS "servedBytes"
  FROM download_groups AS served LEFT JOIN titles USING (title_key),
    LATERAL (SELECT NOT is_prefill AND client <> ALL(${[...hidden]}::text[]) AS is_shown) AS shown
  WHERE span_days = 0 AND title_key <> ''
    AND (game_name IS NULL OR lower(game_name) = 'steam' OR title_key = ANY(${[...keys]}::text[]))
  GROUP BY title_key ORDER BY "servedBytes" DESC LIMIT ${unnamedMax}`

const sizeOf = ({ bytes, servedBytes }: UnnamedTitle) => Math.max(bytes, servedBytes)

const nothing = { files: 0, bytes: 0, downloads: 0, servedBytes: 0, sampleUris: [] }

/** The service whose title this is. Throws `notFound`. */
async function serviceOf(
  { cache, history }: Pick<CacheParts, 'cache' | 'history'>,
  titleKey: string,
): Promise<string> {
  const content = (await cache.contents()).find((entry) => entry.titleKey === titleKey)
  const service =
    content?.service ??
    (await history.read(async (_db, sql) => {
      const [row] = await sql<{ service: string }[]>`
        SELECT service FROM download_groups
        WHERE span_days = 0 AND title_key = ${titleKey} LIMIT 1`
      return row?.service
    }))
  return orNotFound(service, 'No download and no cache file has this title')
}

export type GameNames = ReturnType<typeof createGameNames>

/** Names given by hand to titles that no catalogue knows, and the files of games. */
export function createGameNames(deps: CacheParts, detection: Detection) {
  const { cache, config, state, history, clock, hub, reports } = deps
  const resetTitle = createTitleReset(config.dataPath)

  return {
    /** Titles that no catalogue knows, of the history and the cache, and those named by hand. */
    async unnamed(): Promise<UnnamedTitle[]> {
      const named = new Map(readHandNames(state).map((row) => [row.titleKey, row.gameName]))
      const { games, services } = await detection.read({ hasDetails: false })
      const inCache = [...services, ...games].filter(isUnknown).flatMap((found) => found.titleKeys)
      const { hidden } = excludedClients(state)
      const served = await history.read((_db, sql) =>
        servedTitles(sql, [...inCache, ...named.keys()], hidden),
      )
      const found = new Map<string, UnnamedTitle>()
      const add = (titleKey: string, service: string): UnnamedTitle => {
        const gameName = named.get(titleKey) ?? null
        const isNamedByHand = gameName !== null
        const title = found.get(titleKey) ?? {
          titleKey,
          service,
          gameName,
          isNamedByHand,
          ...nothing,
        }
        found.set(titleKey, title)
        return title
      }
      for (const { titleKey, service, downloads, servedBytes } of served) {
        Object.assign(add(titleKey, service), { downloads, servedBytes })
      }
      const keys = new Set([...inCache, ...named.keys()].filter((key) => key !== ''))
      for (const { titleKey, service, files, bytes, sampleUris } of await cache.contents()) {
        if (files === 0 || !(keys.has(titleKey) || found.has(titleKey))) continue
        const title = add(titleKey, service)
        title.files += files
        title.bytes += bytes
        title.sampleUris = [...title.sampleUris, ...sampleUris].slice(0, samplesMax)
      }
      return [...found.values()].sort((a, b) => sizeOf(b) - sizeOf(a)).slice(0, unnamedMax)
    },

    /** Names a title, or removes the name (null). Throws `notFound`, `invalid`. */
    async giveName(titleKey: string, text: string | null) {
      const service = await serviceOf(deps, titleKey)
      const gameName = text?.trim() ?? ''
      if (gameName === '') {
        await history.read((_db, sql) => resetTitle(sql, titleKey, service))
        forgetHandName(state, titleKey)
      } else {
        const name = { titleKey, service, gameName, namedAt: clock.now() }
        if (!keepHandName(state, name)) throw new AppError('invalid', 'There are too many names')
        await history.read((_db, sql) => applyHandNames(state, sql))
      }
      reports.dropAll()
      hub.publish('DownloadsRefresh', { reason: 'title-named' })
      return { titleKey, gameName: gameName === '' ? null : gameName }
    },

    /** Paths of a game's or service's files, by `gameKey`. Throws `notFound`. */
    async files(key: string) {
      const { games, services } = await detection.read({ hasDetails: false })
      const named = [...games, ...services].find(({ identity }) => gameKey(identity) === key)
      const found = orNotFound(named, 'Game not found in the cache')
      const paths = await cache.paths(found.contentIds, pathsMax)
      return { paths, totalFiles: found.files }
    },
  }
}
