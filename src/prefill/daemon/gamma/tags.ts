import type { ByteSource } from './byte-source.ts'

const nameBytesMax = 256

/** Which files have a property: one bit each, the most significant first. */
type Mask = Buffer

/**
 * Reads tags and returns the files that the chosen ones mean, as bits: of each type any of its chosen
 * tags, and all types together. Null: no tag is chosen. Rejects with FormatError.
 */
export async function readChosen(
  source: ByteSource,
  { tags, entries }: { tags: number; entries: number },
  isChosen: (name: string) => boolean,
): Promise<Mask | null> {
  const byType = new Map<number, Mask>()
  const maskBytes = Math.ceil(entries / 8)
  for (let left = tags; left > 0; left--) {
    const name = await source.text(nameBytesMax)
    const type = await source.uint(2)
    if (!isChosen(name)) {
      await source.skip(maskBytes)
      continue
    }
    const mask = await source.take(maskBytes)
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

export const hasBit = (mask: Mask, index: number): boolean =>
  ((mask[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0
