import type { ByteSpan } from '../bytes.ts'

const guid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const file = new RegExp(`^.*?(/filestreamingservice/files/${guid})`)
const twoGuids = new RegExp(`^.*${guid}.*${guid}[^/]*`)

/**
 * The part of a path that identifies one title: a streamed file, or a package directory with at
 * least two GUIDs. Null when the path has neither. Lower-cased: hosts differ in spelling.
 */
export function epsilonFragment(path: string): string | null {
  const lower = path.toLowerCase()
  return file.exec(lower)?.[1] ?? twoGuids.exec(lower)?.[0] ?? null
}

const dash = 0x2d
const dashesOfGuid = 4

/** False: the path cannot hold a title. Most of such paths are new, so none is worth keeping. */
export function mayHaveGuid(buffer: Uint8Array, { from, to }: ByteSpan): boolean {
  let dashes = 0
  for (let at = from; at < to; at++)
    if (buffer[at] === dash && ++dashes === dashesOfGuid) return true
  return false
}
