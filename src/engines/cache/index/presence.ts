import type { ObjectName } from '../contract.ts'
import { isConclusive } from './emptied-folder.ts'
import { isRawTarget, objectHashOf } from './identify.ts'
import { candidateKeys, digestOf, dirOfDigest } from '../format/key.ts'
import { turn, type CacheSession } from './session.ts'
import type { RootRow } from './rows.ts'

/** Names looked up before yielding to other jobs. */
const batch = 500
export const namesMax = 10_000
const rangeDirs = 512

/** Services of per-host logs whose keys begin with another name. */
const perHostNames: Readonly<Record<string, string>> = {
  steam: 'lancache-steam',
  epic: 'lancache-epicgames',
  epicgames: 'lancache-epicgames',
  riot: 'lancache-riot',
  blizzard: 'lancache-blizzard',
  wsus: 'lancache-windows-update',
  xbox: 'lancache-windows-update',
  xboxlive: 'lancache-windows-update',
  'windows-update': 'lancache-windows-update',
}

/** Key prefix of a per-host proxy for a service; null where the key format is unknown. */
function perHostTag(tag: string): string | null {
  const name = tag.toLowerCase().replace(/^lancache-/, '')
  return Object.hasOwn(perHostNames, name) ? (perHostNames[name] as string) : null
}

const unsliced = (tag: string, uri: string): string[] => [`${tag}${uri}`, `${tag}${uri}::noslice`]

/** Keys that the cache file with `firstByte` can have; null where the key format is unknown. */
export function keysOf(root: Pick<RootRow, 'scheme' | 'sliceBytes'>, name: ObjectName) {
  const { uri, firstByte } = name
  if (root.scheme === 'monolithic') {
    if (root.sliceBytes <= 0) return unsliced(name.tag, uri)
    return candidateKeys({ tag: name.tag, uri }, firstByte, root.sliceBytes)
  }
  const tag = perHostTag(name.tag)
  if (tag === null) return null
  if (tag !== 'lancache-blizzard' && tag !== 'lancache-windows-update') return [`${tag}${uri}`]
  return candidateKeys({ tag, uri }, firstByte, root.sliceBytes)
}

/** Answers `CacheEngine.present`. */
export async function presentIn(
  session: CacheSession,
  names: ObjectName[],
): Promise<(boolean | null)[]> {
  if (names.length > namesMax) throw new Error(`at most ${namesMax} names at once`)
  const answers = Array.from<boolean | null>({ length: names.length }).fill(null)
  /** Positions of names whose keys hold an unrecorded query, by tree and object. */
  const searched = new Map<number, Map<number, number[]>>()
  for (const [index, name] of names.entries()) {
    if (index % batch === batch - 1) await turn()
    const root = session.rootOf(name.datasource)
    if (root === null || !isConclusive(session, root)) continue
    const keys = keysOf(root, name)
    if (keys === null) continue
    const isThere = keys.some((key) => {
      const digest = digestOf(key)
      return session.store.hasFile(root.id, dirOfDigest(digest), Buffer.from(digest, 'hex'))
    })
    answers[index] = isThere
    const tag = perHostTag(name.tag)
    if (isThere || root.scheme !== 'bare_metal' || tag === null || !isRawTarget(tag)) continue
    const places = searched.get(root.id) ?? new Map<number, number[]>()
    searched.set(root.id, places)
    const hash = objectHashOf(tag, name.uri)
    places.set(hash, [...(places.get(hash) ?? []), index])
  }
  for (const [rootId, places] of searched) await searchObjects(session, { rootId, places }, answers)
  return answers
}

/** Finds objects regardless of their query, in one pass over the tree's files. */
async function searchObjects(
  { store }: CacheSession,
  { rootId, places }: { rootId: number; places: Map<number, number[]> },
  answers: (boolean | null)[],
): Promise<void> {
  const hashes = store.database.query<{ objectHash: number }, [number, number, number]>(
    `SELECT object_hash AS objectHash FROM cache_file
       WHERE root_id = ? AND dir >= ? AND dir < ?`,
  )
  for (let dir = 0; dir < 65_536; dir += rangeDirs) {
    for (const { objectHash } of hashes.iterate(rootId, dir, dir + rangeDirs)) {
      for (const index of places.get(objectHash) ?? []) answers[index] = true
    }
    await turn()
  }
}
