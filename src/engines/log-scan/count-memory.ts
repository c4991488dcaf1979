import type { FileCount } from './count-contract.ts'

/** Services of all cached files together, about 20 MB. Beyond it the oldest are dropped. */
const entriesMax = 200_000
/** Memory of a file apart from its services, expressed in services. */
const entriesOfFile = 20

const weightOf = ({ services }: FileCount) => services.length + entriesOfFile

/** Saved counts of files, by device and inode. */
export class CountMemory {
  /** In the order of their last count. */
  readonly #files = new Map<string, FileCount>()
  #entries = 0

  get size(): number {
    return this.#files.size
  }

  get(key: string): FileCount | null {
    return this.#files.get(key) ?? null
  }

  set(key: string, count: FileCount): void {
    this.#forget(key)
    this.#files.set(key, count)
    this.#entries += weightOf(count)
    for (const oldest of this.#files.keys()) {
      if (this.#entries <= entriesMax || oldest === key) return
      this.#forget(oldest)
    }
  }

  /** Drops files that no longer exist. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#files.keys()) if (!keys.has(key)) this.#forget(key)
  }

  #forget(key: string): void {
    const known = this.#files.get(key)
    if (known === undefined) return
    this.#files.delete(key)
    this.#entries -= weightOf(known)
  }
}
