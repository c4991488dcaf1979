import { takeTurns } from '../../core/lib/pause.ts'
import { openSource, PlainSource, type ByteSource } from './files/byte-source.ts'
import type { ChunkResult } from './chunk.ts'
import { toItsEnd, type Skipped } from './files/member.ts'
import type { Place, Source } from './files/series.ts'
import type { Tracker } from './files/tracker.ts'

/** What a backfill needs from its ingest. */
export interface BackfillHost {
  readonly buffer: Uint8Array
  hasBudget(): boolean
  parse(at: Place & { isBackfill: boolean }, length: number, isInsideLongLine: boolean): ChunkResult
}

/** Reads ranges that were skipped earlier and are wanted now. */
export class Backfill {
  readonly #host: BackfillHost
  /** Ranges whose position changed since the last commit. */
  readonly touched = new Set<Skipped>()
  #open: { range: Skipped; source: ByteSource } | null = null

  constructor(host: BackfillHost) {
    this.#host = host
  }

  close(): void {
    this.#open?.source.close()
    this.#open = null
  }

  /** True when there is more to read. */
  async read(sources: Source[], tracker: Tracker): Promise<boolean> {
    for (const source of sources) {
      for (const { range, member } of tracker.wanted(source.config.name)) {
        const series = source.series.get(member.stem)
        const reader = series?.readers.find((one) => one.member === member)
        if (series === undefined || reader === undefined) continue
        await this.#readRange({ source, series, reader }, range, tracker)
        return true
      }
    }
    return false
  }

  async #readRange(at: Place, range: Skipped, tracker: Tracker): Promise<void> {
    const { buffer } = this.#host
    const { member, file } = at.reader
    if (this.#open?.range !== range) {
      this.close()
      this.#open = { range, source: openSource(file.path, file.compression) }
    }
    const { source } = this.#open
    while (this.#host.hasBudget() && range.fromByte < range.toByte) {
      const read = await source.read(buffer, range.fromByte)
      if (source instanceof PlainSource && !source.begins(member.head)) {
        this.close()
        return
      }
      const length = Math.min(read, range.toByte - range.fromByte)
      const target = { ...at, isBackfill: true }
      const result = length === 0 ? null : this.#host.parse(target, length, range.isInsideLongLine)
      range.isInsideLongLine = result?.isInsideLongLine ?? false
      range.fromByte += result?.consumed ?? 0
      member.lines += result?.lines ?? 0
      range.lines = Math.max(0, range.lines - (result?.lines ?? 0))
      this.touched.add(range)
      tracker.dirty.add(member)
      if (read === buffer.length && (result?.consumed ?? 0) > 0) {
        await takeTurns()
        continue
      }
      if (range.toByte === toItsEnd) member.offset = range.fromByte
      range.toByte = range.fromByte
    }
    if (range.fromByte >= range.toByte) this.close()
  }
}
