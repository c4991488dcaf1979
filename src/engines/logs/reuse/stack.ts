/** What a touched object had above it. */
export interface Touched {
  /** Bytes of all objects touched since its last touch; -1: it was never touched. */
  above: number
  /** Its own bytes before this touch. */
  bytes: number
}

const gone = -1

/**
 * Objects by their last touch, with the bytes above each of them in logarithmic time: a Fenwick
 * tree over touches. Holds `objectsMax` objects; the caller removes some before it adds more.
 */
export class RecencyStack {
  readonly #slotOf = new Map<number, number>()
  /** By touch, oldest first; `gone` where the object was touched again or removed. */
  readonly #ids: Float64Array
  readonly #bytes: Float64Array
  readonly #sums: Float64Array
  #next = 0
  #total = 0
  readonly #touched: Touched = { above: -1, bytes: 0 }

  constructor(objectsMax: number) {
    // Gaps are closed when all slots were used, which is seldom.
    const slots = 4 * objectsMax
    this.#ids = new Float64Array(slots).fill(gone)
    this.#bytes = new Float64Array(slots)
    this.#sums = new Float64Array(slots + 1)
  }

  get size(): number {
    return this.#slotOf.size
  }

  /** Moves an object to the top; its bytes never shrink. The answer is valid until the next call. */
  touch(id: number, bytes: number): Readonly<Touched> {
    if (this.#next === this.#ids.length) this.#compact()
    const touched = this.#touched
    const slot = this.#slotOf.get(id)
    touched.above = -1
    touched.bytes = 0
    if (slot !== undefined) {
      touched.bytes = this.#bytes[slot] as number
      touched.above = this.#total - this.#sumUpTo(slot)
      this.#add(slot, -touched.bytes)
      this.#ids[slot] = gone
    }
    this.#push(id, Math.max(bytes, touched.bytes))
    return touched
  }

  /** Removes the objects whose ids are not below this one. */
  dropFrom(id: number): void {
    for (let slot = 0; slot < this.#next; slot++) {
      const one = this.#ids[slot] as number
      if (one === gone || one < id) continue
      this.#slotOf.delete(one)
      this.#ids[slot] = gone
      this.#add(slot, -(this.#bytes[slot] as number))
    }
  }

  /** Ids and bytes in turn, oldest touch first. */
  entries(): Float64Array {
    const list = new Float64Array(2 * this.size)
    let at = 0
    for (let slot = 0; slot < this.#next; slot++) {
      if (this.#ids[slot] === gone) continue
      list[at++] = this.#ids[slot] as number
      list[at++] = this.#bytes[slot] as number
    }
    return list
  }

  #push(id: number, bytes: number): void {
    const slot = this.#next++
    this.#ids[slot] = id
    this.#bytes[slot] = bytes
    this.#slotOf.set(id, slot)
    this.#add(slot, bytes)
  }

  #add(slot: number, bytes: number): void {
    this.#total += bytes
    const sums = this.#sums
    for (let at = slot + 1; at < sums.length; at += at & -at)
      sums[at] = (sums[at] as number) + bytes
  }

  #sumUpTo(slot: number): number {
    let sum = 0
    for (let at = slot + 1; at > 0; at -= at & -at) sum += this.#sums[at] as number
    return sum
  }

  /** Closes the gaps between the slots in use. */
  #compact(): void {
    const ids = this.#ids
    const bytes = this.#bytes
    const sums = this.#sums.fill(0)
    let next = 0
    for (let slot = 0; slot < this.#next; slot++) {
      const id = ids[slot] as number
      if (id === gone) continue
      ids[next] = id
      bytes[next] = bytes[slot] as number
      this.#slotOf.set(id, next++)
      sums[next] = bytes[slot] as number
    }
    ids.fill(gone, next)
    this.#total = sums.reduce((sum, one) => sum + one, 0)
    this.#next = next
    for (let at = 1; at < sums.length; at++) {
      const above = at + (at & -at)
      if (above < sums.length) sums[above] = (sums[above] as number) + (sums[at] as number)
    }
  }
}
