/*
 * The doctor reads the disk, not the index. It derives the file names of an object from its keys,
 * adds what the index knows (other queries, variants, slices after a gap) and reads the headers. A
 * file that was stored a second ago is found, and a damaged one is seen as it is. Before a file is
 * unlinked it has to be the same file that was just read.
 */
import type { ObjectRequest } from './doctor-contract.ts'
import { digestOf } from '../format/key.ts'
import { keyFormatOf, keysAt, objectHashOf, type KeyFormat } from '../format/key-scheme.ts'
import { turn, type CacheSession } from '../index/session.ts'
import type { RootRow } from '../index/rows.ts'

/** Slices checked per object: 4 GiB with slices of 1 MiB. */
export const slicesMax = 4096
/** Indexed files per object, including Vary variants and queries. */
const indexedMax = 8192
const rangeDirs = 512

/** An object in one tree, with the format of its keys. */
export interface ObjectPlace {
  root: RootRow
  format: KeyFormat
  /** As in its keys. */
  uri: string
  sliceBytes: number
}

/** Null: the datasource is not configured, or the key format of this tag is unknown. */
export function placeOf(session: CacheSession, request: ObjectRequest): ObjectPlace | null {
  const root = session.rootOf(request.datasource)
  if (root === null) return null
  const format = keyFormatOf(root.scheme, request.tag)
  if (format === null) return null
  const sliceBytes = format.isSliced ? root.sliceBytes : 0
  return { root, format, uri: format.isRaw ? request.target : request.path, sliceBytes }
}

/** Names of the files that hold the whole object or a slice beginning at this byte. */
export const digestsAt = (place: ObjectPlace, firstByte: number): string[] =>
  keysAt(place.format, place.uri, firstByte, place.sliceBytes).map((key) => digestOf(key))

/**
 * Indexed files of the object, regardless of query or Vary, with the first byte of their slice (or
 * why there is none).
 */
export async function indexedDigests(
  { store }: CacheSession,
  { root, format, uri }: ObjectPlace,
): Promise<Map<string, number>> {
  const rows = store.database.query<
    { digest: string; sliceStart: number },
    [number, number, number, number]
  >(
    `SELECT lower(hex(digest)) AS digest, slice_start AS sliceStart FROM cache_file
       WHERE root_id = ? AND dir >= ? AND dir < ? AND object_hash = ? AND content_id <> 0`,
  )
  const digests = new Map<string, number>()
  const hash = objectHashOf(format.keyTag, uri)
  for (let dir = 0; dir < 65_536 && digests.size < indexedMax; dir += rangeDirs) {
    for (const { digest, sliceStart } of rows.all(root.id, dir, dir + rangeDirs, hash)) {
      digests.set(digest, sliceStart)
    }
    await turn()
  }
  return digests
}

/** The places of which the index knows a file; one pass over the index, whatever their number. */
export async function knownPlaces(
  { store }: CacheSession,
  places: readonly ObjectPlace[],
): Promise<Set<ObjectPlace>> {
  const rows = store.database.query<{ objectHash: number }, [number, number, number, string]>(
    `SELECT DISTINCT object_hash AS objectHash FROM cache_file
       WHERE root_id = ? AND dir >= ? AND dir < ? AND content_id <> 0
         AND object_hash IN (SELECT value FROM json_each(?))`,
  )
  const known = new Set<ObjectPlace>()
  for (const [rootId, own] of Map.groupBy(places, ({ root }) => root.id)) {
    const byHash = Map.groupBy(own, ({ format, uri }) => objectHashOf(format.keyTag, uri))
    const hashes = JSON.stringify([...byHash.keys()])
    for (let dir = 0; dir < 65_536; dir += rangeDirs) {
      for (const { objectHash } of rows.all(rootId, dir, dir + rangeDirs, hashes)) {
        for (const place of byHash.get(objectHash) ?? []) known.add(place)
      }
      await turn()
    }
  }
  return known
}
