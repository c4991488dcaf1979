import type { ByteSource } from '../logs/files/byte-source.ts'
import { maxLineBytes } from '../logs/chunk.ts'

const bufferBytes = 1024 * 1024
const lineFeed = 10

/** The end and the consumer of a reading. */
export interface LineReading {
  /** In decompressed bytes; what is appended in the meantime is ignored. */
  toByte: number
  /** The source begins inside an overlong line, which is skipped. */
  isInsideLongLine?: boolean
  line(buffer: Buffer, span: { from: number; to: number }): void
  /** After each block. False ends the reading. */
  goesOn(readBytes: number): boolean
}

/** How far a reading got. */
export interface LinesRead {
  /** False: it was cancelled. */
  isWhole: boolean
  /** Bytes up to the end of the last complete line, or inside an overlong one being skipped. */
  doneBytes: number
  isInsideLongLine: boolean
}

/**
 * Passes on every complete line, except those too long for the parser. Ignores a last line without
 * a line end: it is still being written.
 */
export async function readLines(source: ByteSource, reading: LineReading): Promise<LinesRead> {
  const buffer = Buffer.allocUnsafe(bufferBytes)
  const span = { from: 0, to: 0 }
  let held = 0
  let offset = 0
  let isInsideLongLine = reading.isInsideLongLine ?? false
  const result = (isWhole: boolean) => ({ isWhole, doneBytes: offset - held, isInsideLongLine })
  for (;;) {
    const wanted = Math.min(buffer.length - held, reading.toByte - offset)
    const length = wanted > 0 ? await source.read(buffer.subarray(held, held + wanted), offset) : 0
    if (length === 0) return result(true)
    offset += length
    const block = buffer.subarray(0, held + length)
    let at = 0
    for (;;) {
      const end = block.indexOf(lineFeed, at)
      if (end < 0) break
      if (!isInsideLongLine && end - at <= maxLineBytes) {
        span.from = at
        span.to = end
        reading.line(block, span)
      }
      isInsideLongLine = false
      at = end + 1
    }
    held = block.length - at
    if (held > maxLineBytes) {
      isInsideLongLine = true
      held = 0
    } else if (at > 0) block.copy(buffer, 0, at)
    if (!reading.goesOn(offset)) return result(false)
  }
}
