import type { CacheStore } from './store.ts'
import { addSample, type ContentName } from './samples.ts'

/** Contents cached before the map is cleared. */
const rememberedMax = 20_000

interface Content {
  id: number
  samples: string[]
}

/** Ids of the contents of one tree, assigned on first use. */
export class ContentIds {
  readonly #store: CacheStore
  readonly #rootId: number
  /** By tag, then title key; nested, because a joined key would be built for every file. */
  readonly #contents = new Map<string, Map<string, Content>>()
  #remembered = 0
  /** Contents with unsaved samples. */
  readonly #changed = new Set<Content>()

  constructor(store: CacheStore, rootId: number) {
    this.#store = store
    this.#rootId = rootId
  }

  /** Needs an open transaction. */
  idOf(identity: ContentName & { uri: string }): number {
    const content = this.#of(identity)
    if (addSample(content.samples, identity.uri)) this.#changed.add(content)
    return content.id
  }

  /** The same with several paths. */
  idWithSamples(found: ContentName & { samples: string[] }): number {
    const content = this.#of(found)
    for (const uri of found.samples) {
      if (addSample(content.samples, uri)) this.#changed.add(content)
    }
    return content.id
  }

  #of(name: ContentName): Content {
    return this.#contents.get(name.tag)?.get(name.titleKey) ?? this.#load(name)
  }

  /** Saves changed samples. Call before each commit. */
  flush(): void {
    const update = this.#store.database.query(
      'UPDATE cache_content SET sample_uris = ? WHERE id = ?',
    )
    for (const { id, samples } of this.#changed) update.run(JSON.stringify(samples), id)
    this.#changed.clear()
  }

  /** Call after a rolled-back transaction, or when contents were deleted. */
  forget(): void {
    this.#contents.clear()
    this.#changed.clear()
    this.#remembered = 0
  }

  #load({ tag, service, titleKey }: ContentName): Content {
    if (this.#remembered >= rememberedMax) {
      this.flush()
      this.forget()
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
    // Written by `flush` as a list of strings.
    const samples = JSON.parse(row.samples) as string[]
    const content = { id: row.id, samples }
    const titles = this.#contents.get(tag) ?? new Map<string, Content>()
    this.#contents.set(tag, titles.set(titleKey, content))
    this.#remembered++
    return content
  }
}
