import type { ObjectName } from '../contract.ts'
import { isConclusive } from './emptied-folder.ts'
import { digestOf, dirOfDigest } from '../format/key.ts'
import { keyFormatOf, keysAt, objectHashOf } from '../format/key-scheme.ts'
import { turn, type CacheSession } from './session.ts'

/** Names looked up before yielding to other jobs. */
const batch = 500
export const namesMax = 10_000
const rangeDirs = 512

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
    const format = keyFormatOf(root.scheme, name.tag)
    if (format === null) continue
    const keys = keysAt(format, name.uri, name.firstByte, root.sliceBytes)
    const isThere = keys.some((key) => {
      const digest = digestOf(key)
      return session.store.hasFile(root.id, dirOfDigest(digest), Buffer.from(digest, 'hex'))
    })
    answers[index] = isThere
    if (isThere || !format.isRaw) continue
    const places = searched.get(root.id) ?? new Map<number, number[]>()
    searched.set(root.id, places)
    const hash = objectHashOf(format.keyTag, name.uri)
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
