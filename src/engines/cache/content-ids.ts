import type { CacheStore } from './store.ts'
import type { Identity } from './identify.ts'

/** Contents remembered before all are forgotten and looked up again. */
const rememberedMax = 20_000
export const samplesMax = 5
const sampleLengthMax = 1000

interface Content {
  id: number
  samples: string[]
  isChanged: boolean
}

const comesFirst = (one: string, other: string): number =>
  one.length - other.length || (one < other ? -1 : Number(one > other))

/** Adds a path if it is among the shortest; answers whether the list changed. */
export function addSample(samples: string[], uri: string): boolean {
  if (uri === '' || uri.length > sampleLengthMax) return false
  const last = samples.at(-1)
  const isFull = samples.length >= samplesMax
  if (isFull && last !== undefined && comesFirst(uri, last) >= 0) return false
  if (samples.includes(uri)) return false
  samples.push(uri)
  samples.sort(comesFirst)
  if (samples.length > samplesMax) samples.pop()
  return true
}

/** Numbers of the contents of one tree, made when they are first met. */
export class ContentIds {
  readonly #store: CacheStore
  readonly #rootId: number
  readonly #contents = new Map<string, Content>()

  constructor(store: CacheStore, rootId: number) {
    this.#store = store
    this.#rootId = rootId
  }

  /** Needs an open transaction. */
  idOf(identity: Identity): number {
    const key = `${identity.tag}\0${identity.titleKey}`
    const content = this.#contents.get(key) ?? this.#load(key, identity)
    if (addSample(content.samples, identity.uri)) content.isChanged = true
    return content.id
  }

  /** Writes samples that got better. Call before each commit. */
  flush(): void {
    const update = this.#store.database.query(
      'UPDATE cache_content SET sample_uris = ? WHERE id = ?',
    )
    for (const content of this.#contents.values()) {
      if (!content.isChanged) continue
      update.run(JSON.stringify(content.samples), content.id)
      content.isChanged = false
    }
  }

  /** After a transaction that came to nothing, or when contents were deleted. */
  forget(): void {
    this.#contents.clear()
  }

  #load(key: string, { tag, service, titleKey }: Identity): Content {
    if (this.#contents.size >= rememberedMax) {
      this.flush()
      this.#contents.clear()
    }
    const row = this.#store.database
      .query<{ id: number; samples: string }, [number, string, string, string]>(
        `INSERT INTO cache_content (root_id, tag, service, title_key, files, bytes,
           first_stored_at, last_stored_at, sample_uris) VALUES (?, ?, ?, ?, 0, 0, 0, 0, '[]')
         ON CONFLICT (root_id, tag, title_key) DO UPDATE SET service = excluded.service
         RETURNING id, sample_uris AS samples`,
      )
      .get(this.#rootId, tag, service, titleKey)
    if (row === null) throw new Error('a content got no number')
    // Written by `flush` as a list of texts.
    const samples = JSON.parse(row.samples) as string[]
    const content = { id: row.id, samples, isChanged: false }
    this.#contents.set(key, content)
    return content
  }
}
