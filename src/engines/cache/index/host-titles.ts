import type { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { openReader } from '../../../../db/stores.ts'
import { platformOf } from '../../titles/titles.ts'
import { ObjectTitles } from '../../titles/object-titles.ts'
import { ContentIds } from './content-ids.ts'
import { addSample, samplesMax } from './samples.ts'
import { readHeadFile } from '../format/head-file.ts'
import { KeyReader } from './identify.ts'
import { pathOfDigest } from '../format/key.ts'
import { turn, type CacheSession } from './session.ts'
import type { RootRow } from './rows.ts'

/** Hash directories processed per step. */
const rangeDirs = 512

/** Titles that cannot be derived from the key: they share paths, and keys have no host. */
export const isTitleOfHost = (titleKey: string): boolean => titleKey.startsWith('delta:')

interface Untitled {
  dir: number
  digest: Uint8Array
  objectHash: number
}

/**
 * Assigns to cache files whose keys do not identify the title the one that the logs state for their
 * object. Files without a logged title stay unassigned until a later walk. Returns how many files
 * were reassigned.
 */
export async function assignHostTitles(
  session: CacheSession,
  root: RootRow,
  { isChanged }: { isChanged: boolean },
): Promise<number> {
  const { store } = session
  const contents = store.database
    .query<{ id: number; tag: string; service: string }, [number]>(
      "SELECT id, tag, service FROM cache_content WHERE root_id = ? AND title_key = ''",
    )
    .all(root.id)
    .filter(({ service }) => platformOf(service) === 'delta')
  const hot = contents.length === 0 ? null : openReader(session.dataPath, 'hot')
  if (hot === null) return 0
  try {
    const newest = hot
      .query<{ id: number | null }, []>('SELECT max(id) AS id FROM object_title')
      .get()
    const mark = newest?.id ?? 0
    const key = `hostTitles:${root.id}`
    if (!isChanged && store.meta(key) === mark) return 0
    const titles = objectTitles(hot)
    let moved = 0
    for (const content of contents) moved += await assign(session, { root, content, titles })
    store.transaction(() => store.setMeta(key, mark))
    return moved
  } finally {
    hot.close()
  }
}

/** An object of several titles belongs to the one requested last. */
export function objectTitles(hot: Database): ObjectTitles {
  const rows = hot
    .query<{ titleKey: string; hashes: Uint8Array }, []>(
      'SELECT title_key AS titleKey, object_hashes AS hashes FROM object_title ORDER BY id DESC',
    )
    .all()
  const byTitle = Map.groupBy(rows, ({ titleKey }) => titleKey)
  return new ObjectTitles(
    [...byTitle].map(([titleKey, own]) => ({
      titleKey,
      packed: Buffer.concat(own.map(({ hashes }) => hashes)),
    })),
  )
}

interface Assignment {
  root: RootRow
  content: { id: number; tag: string; service: string }
  titles: ObjectTitles
}

async function assign(
  { store }: CacheSession,
  { root, content, titles }: Assignment,
): Promise<number> {
  const untitled = store.database.query<Untitled, [number, number, number, number]>(
    `SELECT dir, digest, object_hash AS objectHash FROM cache_file
       WHERE root_id = ? AND dir >= ? AND dir < ? AND content_id = ?`,
  )
  const move = store.database.query(
    'UPDATE cache_file SET content_id = ? WHERE root_id = ? AND dir = ? AND digest = ?',
  )
  const ids = new ContentIds(store, root.id)
  const samples = new Samples(root.path)
  let moved = 0
  for (let dir = 0; dir < 65_536; dir += rangeDirs) {
    const files = untitled.all(root.id, dir, dir + rangeDirs, content.id)
    if (files.length === 0) continue
    store.transaction(() => {
      for (const file of files) {
        const titleKey = titles.titleOf(file.objectHash)
        if (titleKey === undefined) continue
        const uri = samples.uriOf(titleKey, file)
        const id = ids.idOf({ ...content, titleKey, uri })
        move.run(id, root.id, file.dir, file.digest)
        moved++
      }
      ids.flush()
    })
    await turn()
  }
  return moved
}

/** Reads the keys of each title's first few files, for its sample URLs. */
class Samples {
  readonly #root: string
  readonly #keys = new KeyReader()
  readonly #uris = new Map<string, string[]>()

  constructor(root: string) {
    this.#root = root
  }

  /** Empty when there are enough samples, or the file cannot be read. */
  uriOf(titleKey: string, { digest }: Untitled): string {
    const known = this.#uris.get(titleKey) ?? []
    if (known.length >= samplesMax) return ''
    this.#uris.set(titleKey, known)
    const name = Buffer.from(digest).toString('hex')
    const outcome = readHeadFile(join(this.#root, pathOfDigest(name)), name)
    if (outcome.kind !== 'read' || outcome.head.key === null) return ''
    const uri = this.#keys.read(outcome.head.key)?.uri ?? ''
    addSample(known, uri)
    return uri
  }
}
