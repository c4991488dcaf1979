import type { Title } from '../../titles/titles.ts'
import { hash53 } from '../../../core/lib/hash53.ts'
import { deltaPerHostTag } from '../../cache/format/key-scheme.ts'
import type { Line } from '../lines/line.ts'
import { hashObject, objectKey } from '../lines/object-keys.ts'

/** Objects cached as written before the cache is cleared and they are written again. */
const rememberedMax = 200_000

/** An object and its title, which only the host of the request identifies. */
export interface HostTitle {
  /** As in the cache index: `hash53` of tag and path. */
  objectHash: number
  titleKey: string
}

/**
 * Records titles that paths do not identify: several titles of one platform share their paths, and
 * cache keys have no host. The cache index reads them to assign its files.
 */
export class HostTitles {
  #remembered = new Set<number>()
  #found: HostTitle[] = []

  /** `hash`: `hashObject` of the whole object, if known. A new object costs a string, too. */
  note(line: Line, buffer: Uint8Array, known: { title: Title; hash: number | null }): void {
    const { title } = known
    const quick = known.hash ?? hashObject(buffer, line.target, 0)
    if (this.#remembered.has(quick)) return
    if (this.#remembered.size >= rememberedMax) this.#remembered = new Set()
    this.#remembered.add(quick)
    const path = objectKey(buffer, line, 0).slice(2)
    const { text, isOfFile } = line.tag
    for (const tag of isOfFile ? [text, deltaPerHostTag] : [text]) {
      this.#found.push({ objectHash: hash53(`${tag}${path}`), titleKey: title.key })
    }
  }

  take(): HostTitle[] {
    const found = this.#found
    this.#found = []
    return found
  }
}
