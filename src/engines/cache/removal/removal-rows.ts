import { inSlices } from '../../../core/lib/in-slices.ts'
import type { Database } from 'bun:sqlite'
import type { RemovalSelection } from '../contract.ts'
import { dirOfDigest } from '../format/key.ts'
import type { CacheSession } from '../index/session.ts'
import type { RootRow } from '../index/rows.ts'

/** Contents per selection. */
const contentsMax = 100_000
/** Individually named files per selection. */
const filesMax = 100_000
/** Hash directories whose files form one page. */
const pageDirs = 512
const pageFiles = 500
const digestPattern = /^[0-9a-f]{32}$/

/** A selected file, as indexed. */
export interface WantedFile {
  dir: number
  digest: string
  contentId: number
  bytes: number
  inode: number
  mtimeMs: number
  /** What its key must state; null: the key must match the file name. */
  content: { tag: string; titleKey: string } | null
}

export interface WantedPage {
  root: RootRow
  files: WantedFile[]
  /** Named files that are not in the index, and are left alone. */
  unknown: number
}

/** The members of an indexed file, of `cache_file`. */
export const fileColumns = `dir, lower(hex(digest)) AS digest, content_id AS contentId, bytes, inode,
  mtime_ms AS mtimeMs`

interface Content {
  id: number
  rootId: number
  tag: string
  titleKey: string
  files: number
}

const contentsOf = (database: Database, ids: string): Content[] =>
  database
    .query<Content, [string]>(
      `SELECT id, root_id AS rootId, tag, title_key AS titleKey, files FROM cache_content
         WHERE id IN (SELECT value FROM json_each(?))`,
    )
    .all(ids)

/** How many files are selected, according to the index. */
export function countWanted({ store }: CacheSession, selection: RemovalSelection): number {
  if (selection.kind === 'files') return selection.files.length
  const contents = contentsOf(store.database, JSON.stringify(selection.contentIds))
  return contents.reduce((sum, { files }) => sum + files, 0)
}

/** The files of a selection in bounded pages. Throws for a selection that is too large. */
export function wantedPages(
  session: CacheSession,
  selection: RemovalSelection,
): Generator<WantedPage> {
  const size = selection.kind === 'files' ? selection.files.length : selection.contentIds.length
  const limit = selection.kind === 'files' ? filesMax : contentsMax
  if (size > limit) throw new Error(`a selection of ${size} is too large`)
  return selection.kind === 'files'
    ? pagesOfFiles(session, selection.files)
    : pagesOfContents(session, selection.contentIds)
}

function* pagesOfContents({ store }: CacheSession, ids: number[]): Generator<WantedPage> {
  const contents = contentsOf(store.database, JSON.stringify(ids))
  const rows = store.database.query<Omit<WantedFile, 'content'>, [number, number, number, string]>(
    `SELECT ${fileColumns} FROM cache_file WHERE root_id = ? AND dir >= ? AND dir < ?
       AND content_id IN (SELECT value FROM json_each(?)) ORDER BY dir`,
  )
  for (const [rootId, own] of Map.groupBy(contents, (content) => content.rootId)) {
    const root = store.root(rootId)
    if (root === null) continue
    const byId = new Map(own.map((content) => [content.id, content]))
    const wanted = JSON.stringify([...byId.keys()])
    for (let dir = 0; dir < 65_536; dir += pageDirs) {
      const files = rows.all(rootId, dir, dir + pageDirs, wanted).flatMap((row) => {
        const content = byId.get(row.contentId)
        return content === undefined ? [] : [{ ...row, content }]
      })
      yield { root, files, unknown: 0 }
    }
  }
}

/** One file of the index, by id of its tree, hash directory and digest. */
export const indexedFile = (database: Database) =>
  database.query<Omit<WantedFile, 'content'>, [number, number, string]>(
    `SELECT ${fileColumns} FROM cache_file WHERE root_id = ? AND dir = ? AND digest = unhex(?)`,
  )

function* pagesOfFiles(
  session: CacheSession,
  named: { datasource: string; digest: string }[],
): Generator<WantedPage> {
  const row = indexedFile(session.store.database)
  for (const [datasource, own] of Map.groupBy(named, (file) => file.datasource)) {
    const root = session.rootOf(datasource)
    if (root === null) continue
    for (const page of inSlices(own, pageFiles)) {
      const files = page.flatMap(({ digest }) => {
        if (!digestPattern.test(digest)) return []
        const found = row.get(root.id, dirOfDigest(digest), digest)
        return found === null ? [] : [{ ...found, content: null }]
      })
      files.sort((a, b) => a.dir - b.dir)
      yield { root, files, unknown: page.length - files.length }
    }
  }
}
