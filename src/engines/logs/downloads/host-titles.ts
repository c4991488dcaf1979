import type { Title } from '../../titles/titles.ts'
import { hash53 } from '../../../core/lib/hash53.ts'
import type { Line } from '../lines/line.ts'
import { hashObject, objectKey } from '../lines/object-keys.ts'

/** Objects remembered as written before all are forgotten, and written once more. */
const rememberedMax = 200_000
/** First part of the keys of a per-host proxy for these objects; its logs have no tag of their own. */
const perHostTag = 'lancache-riot'

/** An object and the title that only the host of its request tells. */
export interface HostTitle {
  /** As the index of the cache has it: `hash53` of tag and path. */
  objectHash: number
  titleKey: string
}

/**
 * Notes what paths do not tell: several titles of one platform share their paths, and cache keys
 * have no host. The index of the cache reads this to know whose pieces it holds.
 */
export class HostTitles {
  #remembered = new Set<number>()
  #found: HostTitle[] = []

  /** Costs a hash of the path for an object that is known, and a string for one that is new. */
  note(line: Line, buffer: Uint8Array, title: Title): void {
    const quick = hashObject(buffer, line.target, 0)
    if (this.#remembered.has(quick)) return
    if (this.#remembered.size >= rememberedMax) this.#remembered = new Set()
    this.#remembered.add(quick)
    const path = objectKey(buffer, line, 0).slice(2)
    for (const tag of [line.tag.text, perHostTag]) {
      this.#found.push({ objectHash: hash53(`${tag}${path}`), titleKey: title.key })
    }
  }

  take(): HostTitle[] {
    const found = this.#found
    this.#found = []
    return found
  }
}
