import type { Sql } from 'postgres'
import { pathsFrom } from '../../engines/titles/beta/title.ts'
import { titleKeyOf } from '../../engines/titles/titles.ts'
import type { CatalogueParts } from '../parts.ts'
import { sliceRows, writeNames, type CatalogueName } from '../titles/write-names.ts'
import type { BetaStore } from './store.ts'

type Pattern = ReturnType<BetaStore['patterns']>[number]
type Parts = Pick<CatalogueParts, 'history' | 'state'>

const service = 'epicgames'
const prefix = 'beta:'

const nameOf = (titleKey: string, { appId, name, imageUrl }: Pattern): CatalogueName => ({
  titleKey,
  service,
  platform: 'beta',
  gameName: name,
  betaAppId: appId,
  epsilonProductId: null,
  imageUrl,
})

/**
 * Title keys that downloads of these base paths have. A path that is deeper than title keys are shares
 * its key with others; such a key counts only when all of them are of one game.
 */
export function namesOfPaths(patterns: readonly Pattern[]): CatalogueName[] {
  const found = new Map<string, Pattern | null>()
  for (const pattern of patterns) {
    const key = titleKeyOf(service, `${pattern.path}/ChunksV4/x`, '')
    const known = found.get(key)
    const isShared = known !== undefined && known?.appId !== pattern.appId
    found.set(key, isShared ? null : pattern)
  }
  return [...found].flatMap(([key, pattern]) =>
    pattern === null || key === '' ? [] : [nameOf(key, pattern)],
  )
}

/** The longest stored base path that contains a title. */
function patternAbove(byPath: ReadonlyMap<string, Pattern>, titleKey: string): Pattern | undefined {
  for (const path of pathsFrom(titleKey.slice(prefix.length))) {
    const found = byPath.get(path)
    if (found !== undefined) return found
  }
  return undefined
}

const unnamed = (sql: Sql, after: string) =>
  sql<{ titleKey: string }[]>`
    SELECT title_key AS "titleKey" FROM titles
    WHERE platform = 'beta' AND beta_app_id IS NULL AND title_key > ${after}
    ORDER BY title_key LIMIT ${sliceRows}`

/**
 * Gives downloads their names: those of stored base paths, and those below one. Returns how many
 * titles changed. Rejects with HistoryUnavailable, or with the signal's reason.
 */
export async function applyBeta(
  parts: Parts,
  store: BetaStore,
  signal?: AbortSignal,
): Promise<number> {
  const patterns = store.patterns()
  // The launcher's path is no directory of a build: titles lie below it.
  const fromPlatform = patterns.filter(({ source }) => source !== 'system')
  let changed = await writeNames(parts, namesOfPaths(fromPlatform), signal)
  const byPath = new Map(patterns.map((pattern) => [pattern.path, pattern]))
  for (let after = ''; ;) {
    const from = after
    const rows = await parts.history.read((_db, sql) => unnamed(sql, from))
    const names = rows.flatMap(({ titleKey }) => {
      const pattern = patternAbove(byPath, titleKey)
      return pattern === undefined ? [] : [nameOf(titleKey, pattern)]
    })
    changed += await writeNames(parts, names, signal)
    after = rows.at(-1)?.titleKey ?? ''
    if (rows.length < sliceRows) return changed
  }
}
