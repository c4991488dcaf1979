/** Words of 32 bits that are kept of a key. */
const wordsOfKey = 2

/**
 * A set of 16-byte keys in flat arrays, since objects would take many times the memory. Of each key
 * the first half is kept: keys are MD5 sums, of which millions have no two equal halves. Keys are
 * added first, then sorted, then looked up.
 */
export class KeySet {
  #words = new Uint32Array(1024 * wordsOfKey)
  #taken = new Uint8Array()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Adds the key at a position. */
  add(bytes: Buffer, position = 0): void {
    const at = this.#size * wordsOfKey
    if (at === this.#words.length) {
      const words = new Uint32Array(at * 2)
      words.set(this.#words)
      this.#words = words
    }
    this.#words[at] = bytes.readUInt32LE(position)
    this.#words[at + 1] = bytes.readUInt32LE(position + 4)
    this.#size++
  }

  addAll(other: KeySet): void {
    const bytes = Buffer.from(other.#words.buffer, 0, other.#size * wordsOfKey * 4)
    for (let at = 0; at < bytes.length; at += wordsOfKey * 4) this.add(bytes, at)
  }

  /** Drops the others; the index of a key is the number of those added before. */
  keep(isKept: (index: number) => boolean): void {
    let kept = 0
    for (let index = 0; index < this.#size; index++) {
      if (!isKept(index)) continue
      const from = index * wordsOfKey
      this.#words.copyWithin(kept * wordsOfKey, from, from + wordsOfKey)
      kept++
    }
    this.#size = kept
  }

  clear(): void {
    this.#words = new Uint32Array(wordsOfKey)
    this.#taken = new Uint8Array()
    this.#size = 0
  }

  /** Makes the set ready for look-ups. */
  sort(): this {
    new BigUint64Array(this.#words.buffer, 0, this.#size).sort()
    this.#taken = new Uint8Array(this.#size)
    return this
  }

  has(bytes: Buffer, position = 0): boolean {
    return this.#indexOf(bytes, position) !== -1
  }

  /** True the first time it is called for a key of the set. */
  take(bytes: Buffer, position = 0): boolean {
    const index = this.#indexOf(bytes, position)
    if (index === -1 || this.#taken[index] === 1) return false
    this.#taken[index] = 1
    return true
  }

  /** The first index of a key; -1 when it is not there. */
  #indexOf(bytes: Buffer, position: number): number {
    const low = bytes.readUInt32LE(position)
    const high = bytes.readUInt32LE(position + 4)
    let [from, to] = [0, this.#size]
    while (from < to) {
      const middle = (from + to) >>> 1
      const other = this.#words[middle * wordsOfKey + 1] ?? 0
      const isBefore = other === high ? (this.#words[middle * wordsOfKey] ?? 0) < low : other < high
      if (isBefore) from = middle + 1
      else to = middle
    }
    const at = from * wordsOfKey
    const isFound = from < this.#size && this.#words[at] === low && this.#words[at + 1] === high
    return isFound ? from : -1
  }
}
