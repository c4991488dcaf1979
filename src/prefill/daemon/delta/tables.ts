import { FormatError } from '../content/format-error.ts'

/**
 * Reads the tables of a FlatBuffers text. Every position comes from the file, so each read is checked;
 * the number of elements that are read in all is limited, because vectors may be shared.
 */
export class TableFile {
  readonly #bytes: Buffer
  #elementsLeft: number

  constructor(bytes: Buffer, elementsMax: number) {
    this.#bytes = bytes
    this.#elementsLeft = elementsMax
  }

  /** Position of the root table. */
  root(): number {
    return this.uint32(0)
  }

  #require(at: number, bytes: number): void {
    if (at >= 0 && at + bytes <= this.#bytes.length) return
    throw new FormatError('a manifest points outside of itself')
  }

  uint8(at: number): number {
    this.#require(at, 1)
    return this.#bytes.readUInt8(at)
  }

  uint32(at: number): number {
    this.#require(at, 4)
    return this.#bytes.readUInt32LE(at)
  }

  uint64(at: number): bigint {
    this.#require(at, 8)
    return this.#bytes.readBigUInt64LE(at)
  }

  /** Position of a table's field; null: absent, so its default holds. */
  field(table: number, slot: number): number | null {
    this.#require(table, 4)
    const layout = table - this.#bytes.readInt32LE(table)
    this.#require(layout, 4)
    const at = layout + 4 + 2 * slot
    if (at + 2 > layout + this.#bytes.readUInt16LE(layout)) return null
    this.#require(at, 2)
    const offset = this.#bytes.readUInt16LE(at)
    return offset === 0 ? null : table + offset
  }

  /** Positions of the elements of a vector field. */
  *elements(table: number, slot: number, elementBytes: number): Generator<number, void, undefined> {
    const field = this.field(table, slot)
    if (field === null) return
    const vector = field + this.uint32(field)
    const count = this.uint32(vector)
    this.#require(vector + 4, count * elementBytes)
    this.#elementsLeft -= count
    if (this.#elementsLeft < 0) throw new FormatError('a manifest has too many elements')
    for (let index = 0; index < count; index++) yield vector + 4 + index * elementBytes
  }

  /** Positions of the tables of a vector field. */
  *tables(table: number, slot: number): Generator<number, void, undefined> {
    for (const at of this.elements(table, slot, 4)) yield at + this.uint32(at)
  }

  text(table: number, slot: number, bytesMax: number): string {
    const field = this.field(table, slot)
    if (field === null) return ''
    const at = field + this.uint32(field)
    const bytes = this.uint32(at)
    if (bytes > bytesMax) throw new FormatError('a text in a manifest is too long')
    this.#require(at + 4, bytes)
    return this.#bytes.toString('utf8', at + 4, at + 4 + bytes)
  }
}
