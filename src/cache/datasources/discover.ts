/*
 * Discovery takes only what is certain. Folders pair by exact name, then regardless of case, then
 * without hyphens and a plural ending. The only one left on both sides pairs too, unless the two
 * parents are a datasource themselves. A volume of the stock proxy (its note beside a folder
 * `cache`) means that folder. Of two with one name the nearer wins; two on the same level are
 * named by their parents. Discovery runs once, before the service answers; a new pair needs a
 * restart.
 */
import { basename, dirname, join } from 'node:path'
import type { Config } from '../../core/config.ts'
import { cacheRootIn, childrenOf, isLogFolder } from './leaf.ts'
import { pairNames } from './pairing.ts'

export interface FoundDatasource {
  name: string
  cachePath: string
  logPath: string
}

interface Pair {
  cachePath: string
  logPath: string
  depth: number
}

/** Levels searched below the two parent folders. */
const depthMax = 3
/** Folder pairs searched, and datasources accepted. */
const pairsMax = 500
const sourcesMax = 100
const nameMax = 100

/** `lan-party 2` becomes `Lan-Party-2`: only characters valid in a datasource's name. */
function titleCased(leaf: string): string {
  const plain = leaf.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, nameMax)
  return plain.replaceAll(/(^|[-_.])([a-z])/g, (_, before: string, letter: string) => {
    return before + letter.toUpperCase()
  })
}

/** `Default` is reserved for the pair at the root. */
const nameOf = (leaf: string) =>
  /^default$/i.test(leaf) ? `${titleCased(leaf)}-2` : titleCased(leaf)

/** Breadth first: every pair of folders, nearest first. */
function* pairsBelow(cachePath: string, logPath: string): Generator<Pair> {
  const queue: Pair[] = [{ cachePath, logPath, depth: 0 }]
  for (let at = 0; at < Math.min(queue.length, pairsMax); at++) {
    const pair = queue[at]
    if (pair === undefined) return
    yield pair
    if (pair.depth === depthMax) continue
    const isLeaf = cacheRootIn(pair.cachePath) !== null && isLogFolder(pair.logPath)
    const [caches, logs] = [childrenOf(pair.cachePath), childrenOf(pair.logPath)]
    for (const [cache, log] of pairNames(caches, logs, { mayWrap: !isLeaf })) {
      queue.push({
        cachePath: join(pair.cachePath, cache),
        logPath: join(pair.logPath, log),
        depth: pair.depth + 1,
      })
    }
  }
}

function datasourceOf({ cachePath, logPath, depth }: Pair, isFree: (name: string) => boolean) {
  const root = cacheRootIn(cachePath)
  if (root === null || !isLogFolder(logPath)) return null
  const leaf = nameOf(basename(cachePath))
  if (depth === 0) return { name: 'Default', cachePath: root, logPath, depth }
  // Duplicates side by side, as in a/cache and b/cache, are prefixed with their parent folder.
  const long = nameOf(`${basename(dirname(cachePath))}-${basename(cachePath)}`)
  return { name: isFree(leaf) ? leaf : long, cachePath: root, logPath, depth }
}

/**
 * Discovers datasources below a parent folder of caches and one of logs, three levels deep at most:
 * pairs of folders of the same name with a cache on one side and access logs on the other. Of two
 * with the same name the one nearer to the root wins. `Default` first, then by name.
 */
export function discoverDatasources(cachePath: string, logPath: string): FoundDatasource[] {
  const found = new Map<string, FoundDatasource & { depth: number }>()
  for (const pair of pairsBelow(cachePath, logPath)) {
    const isBeside = (name: string) => found.get(name.toLowerCase())?.depth === pair.depth
    const source = datasourceOf(pair, (name) => !isBeside(name))
    if (source === null || found.has(source.name.toLowerCase())) continue
    found.set(source.name.toLowerCase(), source)
    if (found.size === sourcesMax) break
  }
  return [...found.values()]
    .sort((a, b) => Number(a.depth > 0) - Number(b.depth > 0) || (a.name < b.name ? -1 : 1))
    .map(({ name, cachePath, logPath }) => ({ name, cachePath, logPath }))
}

/**
 * The configuration with the datasources discovered below its one pair of folders, if discovery is
 * enabled. Reads the tree once, before the service answers requests. The list is a copy, to which
 * nodes add theirs.
 */
export function withDiscovered(config: Config): Config {
  const [usual] = config.datasources
  const found =
    config.discoversDatasources && usual !== undefined
      ? discoverDatasources(usual.cachePath, usual.logPath)
      : []
  const datasources =
    found.length === 0 ? [...config.datasources] : found.map((one) => ({ ...usual, ...one }))
  return { ...config, datasources } as Config
}
