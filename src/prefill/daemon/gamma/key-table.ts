/** Words of 32 bits in a key. */
const wordsOfKey = 4

function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

/**
 * A set of 16-byte keys with a mark each, in flat arrays: millions of objects would take
 * several times the memory.
 */
export class KeyTable {
  #keys = new Int32Array(1024 * wordsOfKey)
  #slots = new Int32Array(4096)
  #marks = new Uint8Array(1024)
  #size = 0
  /** Chosen at random, so that no file can be made of keys that collide. */
  readonly #seed = (Math.random() * 0x1_0000_0000) | 0

  /** Adds the key at a position without a mark, unless it is there. */
  add(bytes: Buffer, position = 0): void {
    const slot = this.#slotOf(bytes, position)
    if (this.#slots[slot] !== 0) return
    const at = this.#size * wordsOfKey
    for (let word = 0; word < wordsOfKey; word++) {
      this.#keys[at + word] = bytes.readInt32LE(position + word * 4)
    }
    this.#size++
    this.#slots[slot] = this.#size
    if (this.#size * 2 > this.#slots.length || this.#size * wordsOfKey === this.#keys.length) {
      this.#grow()
    }
  }

  /** The index of the key at a position; -1 when it is not there. */
  indexOf(bytes: Buffer, position = 0): number {
    return (this.#slots[this.#slotOf(bytes, position)] ?? 0) - 1
  }

  /** True the first time it is called for an index. */
  mark(index: number): boolean {
    if (this.#marks[index] === 1) return false
    this.#marks[index] = 1
    return true
  }

  /** The slot that holds a key, or the empty one where it belongs. */
  #slotOf(bytes: Buffer, position: number): number {
    const mask = this.#slots.length - 1
    const a = bytes.readInt32LE(position)
    const b = bytes.readInt32LE(position + 4)
    const c = bytes.readInt32LE(position + 8)
    const d = bytes.readInt32LE(position + 12)
    const keys = this.#keys
    for (let slot = this.#hash(a, b, c, d) & mask; ; slot = (slot + 1) & mask) {
      const index = (this.#slots[slot] ?? 0) - 1
      if (index === -1) return slot
      const at = index * wordsOfKey
      const isFirstHalf = keys[at] === a && keys[at + 1] === b
      if (isFirstHalf && keys[at + 2] === c && keys[at + 3] === d) return slot
    }
  }

  /** The hash of the key whose first word is at an index. */
  #hashAt(at: number): number {
    const keys = this.#keys
    return this.#hash(keys[at] ?? 0, keys[at + 1] ?? 0, keys[at + 2] ?? 0, keys[at + 3] ?? 0)
  }

  #hash(a: number, b: number, c: number, d: number): number {
    return mix(mix(mix(mix(this.#seed, a), b), c), d)
  }

  #grow(): void {
    if (this.#size * wordsOfKey === this.#keys.length) {
      const keys = new Int32Array(this.#keys.length * 2)
      keys.set(this.#keys)
      this.#keys = keys
      const marks = new Uint8Array(this.#marks.length * 2)
      marks.set(this.#marks)
      this.#marks = marks
    }
    if (this.#size * 2 <= this.#slots.length) return
    this.#slots = new Int32Array(this.#slots.length * 2)
    const mask = this.#slots.length - 1
    for (let index = 0; index < this.#size; index++) {
      const at = index * wordsOfKey
      let slot = this.#hashAt(at) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = index + 1
    }
  }
}
