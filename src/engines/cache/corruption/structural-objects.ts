import { inSlices } from '../../../core/lib/in-slices.ts'
import { join } from 'node:path'
import { skipReasons } from '../contract.ts'
import { oddSlices, type OddSlice, type SliceStatement } from './disagreement.ts'
import { readHeadFileLater } from '../format/head-file.ts'
import type { CacheHead } from '../format/header.ts'
import { pathOfDigest } from '../format/key.ts'
import { parseKey } from '../format/key-scheme.ts'
import type { CacheStore } from '../index/store.ts'

/** Objects per scan whose slices are read again because the index shows a disagreement. */
export const maxObjects = 2000
/** Slices compared per object: 4 GiB with slices of 1 MiB. */
const maxSlices = 4096
/** Files opened in parallel; a slow disk serves several at a time. */
const inFlight = 8

/** One object with slices that do not belong together. */
export interface OddObject {
  slices: SliceStatement[]
  odd: OddSlice[]
}

const recent = skipReasons.indexOf('recent') + 1

/**
 * Objects (by hash) whose slices disagree according to the index: each known fact must be the same
 * in all slices. Unknown facts (no ETag, date or length) agree with everything.
 */
export function suspiciousObjects(store: CacheStore, rootId: number): number[] {
  const rows = store.database.query<{ objectHash: number }, [number, number]>(
    `SELECT object_hash AS objectHash FROM cache_file
       WHERE root_id = ? AND slice_start >= 0 AND content_id <> 0 AND issues = 0 AND skipped <> ?
       GROUP BY object_hash
       HAVING min(nullif(etag_hash, 0)) <> max(nullif(etag_hash, 0))
         OR min(nullif(last_modified_at, -1)) <> max(nullif(last_modified_at, -1))
         OR min(nullif(object_bytes, -1)) <> max(nullif(object_bytes, -1))`,
  )
  return rows.all(rootId, recent).map(({ objectHash }) => objectHash)
}

/** Object hashes of the given files. */
export function objectsOf(store: CacheStore, rootId: number, digests: string[]): number[] {
  const rows = store.database.query<{ objectHash: number }, [number, string]>(
    `SELECT DISTINCT object_hash AS objectHash FROM cache_file
       WHERE root_id = ? AND content_id <> 0
         AND digest IN (SELECT unhex(value) FROM json_each(?))`,
  )
  return rows.all(rootId, JSON.stringify(digests)).map(({ objectHash }) => objectHash)
}

/** Indexed files that are slices of these objects, in one pass over the index. */
function slicesOf(store: CacheStore, rootId: number, hashes: number[]): Map<number, string[]> {
  const rows = store.database.query<{ objectHash: number; digest: string }, [number, string]>(
    `SELECT object_hash AS objectHash, lower(hex(digest)) AS digest FROM cache_file
       WHERE root_id = ? AND slice_start >= 0 AND issues = 0
         AND object_hash IN (SELECT value FROM json_each(?))`,
  )
  const slices = new Map<number, string[]>()
  for (const { objectHash, digest } of rows.iterate(rootId, JSON.stringify(hashes))) {
    const list = slices.get(objectHash)
    if (list === undefined) slices.set(objectHash, [digest])
    else if (list.length < maxSlices) list.push(digest)
  }
  return slices
}

/** Reads the slices of the objects from the disk and judges each object. */
export async function* oddObjects(
  store: CacheStore,
  tree: { rootId: number; path: string },
  hashes: number[],
): AsyncGenerator<OddObject | null> {
  const slices = slicesOf(store, tree.rootId, hashes)
  for (const digests of slices.values()) {
    const statements = await statementsOf(tree.path, digests)
    for (const object of statements) {
      const odd = oddSlices(object)
      if (odd.length > 0) yield { slices: object, odd }
    }
    yield null
  }
}

/** Statements of files with the same tag and path; two objects may share a hash. */
async function statementsOf(path: string, digests: string[]): Promise<SliceStatement[][]> {
  const objects = new Map<string, SliceStatement[]>()
  for (const batch of inSlices(digests, inFlight)) {
    const outcomes = await Promise.all(
      batch.map((digest) => readHeadFileLater(join(path, pathOfDigest(digest)), digest)),
    )
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.kind !== 'read') continue
      const said = statementOf(outcome.head, batch[index] as string)
      if (said === null) continue
      const list = objects.get(said.name) ?? []
      list.push(said.statement)
      objects.set(said.name, list)
    }
  }
  return [...objects.values()]
}

/** Null: nothing to compare. Answers with Vary are left out, see `oddSlices`. */
function statementOf(
  head: CacheHead,
  digest: string,
): { name: string; statement: SliceStatement } | null {
  if (head.key === null || head.issues.length > 0 || head.hasVary) return null
  const key = parseKey(Buffer.from(head.key).toString('latin1'))
  if (key === null || key.sliceStart < 0) return null
  const total = head.range === null ? head.contentLength : head.range.total
  return {
    name: `${key.tag}${key.uri}`,
    statement: {
      digest,
      sliceStart: key.sliceStart,
      etag: head.etag === '' ? null : head.etag,
      lastModifiedAt: head.lastModifiedAt < 0 ? null : head.lastModifiedAt,
      totalLength: total,
      storedAt: head.storedAt > 0 ? head.storedAt : null,
    },
  }
}
