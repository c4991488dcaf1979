import type { ByteSource } from './byte-source.ts'

const nameCharsMax = 256

/** A property of files, and which of them have it: one bit each, the most significant first. */
export interface Tag {
  name: string
  type: number
  mask: Buffer
}

/** Throws FormatError. */
export const readTags = (source: ByteSource, count: number, entries: number): Tag[] =>
  Array.from({ length: count }, () => ({
    name: source.text(nameCharsMax),
    type: source.uint(2),
    mask: source.take(Math.ceil(entries / 8)),
  }))

/**
 * The files that these tags choose, as bits: of each type any of its chosen tags, and all types
 * together. Null: no tag is chosen.
 */
export function chosenBy(tags: readonly Tag[], isChosen: (name: string) => boolean): Buffer | null {
  const byType = new Map<number, Buffer>()
  for (const { name, type, mask } of tags) {
    if (!isChosen(name)) continue
    const other = byType.get(type)
    if (other === undefined) byType.set(type, Buffer.from(mask))
    else for (let at = 0; at < mask.length; at++) other[at] = (other[at] ?? 0) | (mask[at] ?? 0)
  }
  const [first, ...others] = byType.values()
  if (first === undefined) return null
  for (const mask of others) {
    for (let at = 0; at < mask.length; at++) first[at] = (first[at] ?? 0) & (mask[at] ?? 0)
  }
  return first
}

export const hasBit = (mask: Buffer, index: number): boolean =>
  ((mask[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0
