export const bytesPerHash = 8
const highFactor = 2 ** 32

/** Hashes of objects (53 bits each) as the database stores them: 64-bit numbers, big-endian. */
export function packHashes(hashes: readonly number[]): Uint8Array {
  const packed = new DataView(new ArrayBuffer(hashes.length * bytesPerHash))
  let at = 0
  for (const hash of hashes) {
    packed.setUint32(at, hash / highFactor)
    packed.setUint32(at + 4, hash)
    at += bytesPerHash
  }
  return new Uint8Array(packed.buffer)
}

function unpackHashes(packed: Uint8Array): Float64Array {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const hashOf = (_: unknown, index: number) =>
    view.getUint32(index * bytesPerHash) * highFactor + view.getUint32(index * bytesPerHash + 4)
  return Float64Array.from({ length: packed.byteLength / bytesPerHash }, hashOf)
}

/** Finds the title of an object. */
export class ObjectTitles {
  readonly #titles: { titleKey: string; sorted: Float64Array }[]

  /** The hashes of each title; a title goes before those after it. */
  constructor(titles: readonly { titleKey: string; packed: Uint8Array }[]) {
    this.#titles = titles.map(({ titleKey, packed }) => ({
      titleKey,
      sorted: unpackHashes(packed).sort(),
    }))
  }

  titleOf(objectHash: number): string | undefined {
    return this.#titles.find(({ sorted }) => includes(sorted, objectHash))?.titleKey
  }
}

function includes(sorted: Float64Array, wanted: number): boolean {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((sorted[middle] as number) < wanted) from = middle + 1
    else to = middle
  }
  return sorted[from] === wanted
}
