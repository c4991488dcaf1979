import { FormatError } from '../content/format-error.ts'

const keyBytes = 16
const sizeBytes = 4
const footerBytes = 28
/** The part of the footer behind the hash of the table of contents. */
const fieldsBytes = 20

/** A key's position in the index, and size and offset of its file; offset 0 for loose files. */
type OnEntry = (keyAt: number, bytes: number, offset: number) => void

/**
 * Reads the index of an archive, or the index of files outside of archives. Throws FormatError before
 * the first entry.
 */
export function readIndex(file: Buffer, onEntry: OnEntry): void {
  const fields = file.subarray(Math.max(0, file.length - fieldsBytes))
  if (file.length < footerBytes || fields[0] !== 1) {
    throw new FormatError('an index has no footer of version 1')
  }
  const [blockKilobytes = 0, offsetBytes = 0, sizes = 0, keys = 0] = fields.subarray(3, 7)
  const isKnown = sizes === sizeBytes && keys === keyBytes && [0, 4].includes(offsetBytes)
  if (blockKilobytes === 0 || !isKnown) throw new FormatError('an index has unknown field sizes')
  const blockBytes = blockKilobytes * 1024
  const entryBytes = keyBytes + sizeBytes + offsetBytes
  const perBlock = Math.floor(blockBytes / entryBytes)
  const positionOf = (entry: number) =>
    Math.floor(entry / perBlock) * blockBytes + (entry % perBlock) * entryBytes
  const entries = countOf(fields)
  if (entries > 0 && positionOf(entries - 1) + entryBytes > file.length - footerBytes) {
    throw new FormatError('an index has fewer entries than it announces')
  }
  for (let entry = 0; entry < entries; entry++) {
    const at = positionOf(entry)
    const bytes = file.readUInt32BE(at + keyBytes)
    if (bytes === 0) continue
    const offset = offsetBytes === 0 ? 0 : file.readUInt32BE(at + keyBytes + sizeBytes)
    onEntry(at, bytes, offset)
  }
}

/** Little-endian, except in files whose number would be far too large that way. */
function countOf(fields: Buffer): number {
  const count = fields.readUInt32LE(8)
  return count > 0xff_ff_ff ? fields.readUInt32BE(8) : count
}
