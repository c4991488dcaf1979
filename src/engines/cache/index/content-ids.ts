import type { CacheStore } from './store.ts'
import { addSample, type ContentName } from './samples.ts'

/** Contents remembered before all are forgotten and looked up again. */
const rememberedMax = 20_000

interface Content {
  id: number
  samples: string[]
}

/** Numbers of the contents of one tree, made when they are first met. */
export class ContentIds {
  readonly #store: CacheStore
  readonly #rootId: number
  /** By tag and title key; two maps, because a joined key would be made for every file. */
  readonly #contents = new Map<string, Map<string, Content>>()
  #remembered = 0
  /** Those with samples that are not written yet. */
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

  /** Writes samples that got better. Call before each commit. */
  flush(): void {
    const update = this.#store.database.query(
      'UPDATE cache_content SET sample_uris = ? WHERE id = ?',
    )
    for (const { id, samples } of this.#changed) update.run(JSON.stringify(samples), id)
    this.#changed.clear()
  }

  /** After a transaction that came to nothing, or when contents were deleted. */
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
    // Written by `flush` as a list of texts.
    const samples = JSON.parse(row.samples) as string[]
    const content = { id: row.id, samples }
    const titles = this.#contents.get(tag) ?? new Map<string, Content>()
    this.#contents.set(tag, titles.set(titleKey, content))
    this.#remembered++
    return content
  }
}
