import { latin1 } from '../titles/bytes.ts'
import { TitleReader } from '../titles/titles.ts'
import {
  keyFormatOf,
  normalisedPath,
  pathLengthMax,
  sliceStartAt,
  type KeyFormat,
} from '../cache/format/key-scheme.ts'
import {
  cacheHit,
  cacheMiss,
  firstByteOf,
  isServed,
  type Line,
  type Tag,
} from '../logs/lines/line.ts'
import { targetText } from '../logs/lines/object-keys.ts'
import { rangeOf } from './gather.ts'
import type { DownloadLog, DownloadLogRequest, MissCause, MissedRequest } from './tail-contract.ts'
import { TailReader } from './tails.ts'

/** Missed requests whose objects are searched in the lines before; the first ones. */
export const missesMax = 1000
const samplesMax = 20
const linesMax = 30
const lineCharsMax = 500
const pointsMax = 60
/** Two clients that miss an object within this time fetch it at once. */
const togetherSeconds = 60

/** The word that nginx wrote for the cache: MISS, EXPIRED and BYPASS all mean fetched bytes. */
const stateIn = (text: string): string =>
  /["\s](MISS|EXPIRED|BYPASS)["\s]/.exec(text)?.[1] ?? 'MISS'

/** One download's requests, and what the lines before say about the objects that it missed. */
class DownloadReading {
  readonly log: DownloadLog
  readonly #request: DownloadLogRequest
  readonly #titles = new TitleReader()
  readonly #secondsPerPoint: number
  readonly #byPath = new Map<string, MissedRequest[]>()
  readonly #keyFormats = new Map<string, KeyFormat | null>()

  constructor(request: DownloadLogRequest, reader: TailReader) {
    this.#request = request
    const seconds = request.toS - request.startS + 1
    this.#secondsPerPoint = Math.max(1, Math.ceil(seconds / pointsMax))
    this.log = {
      coverage: reader.coverage,
      readFromS: null,
      hits: 0,
      misses: 0,
      failed: 0,
      secondsPerPoint: this.#secondsPerPoint,
      points: Array.from({ length: Math.ceil(seconds / this.#secondsPerPoint) }, () => [0, 0]),
      examined: 0,
      causes: {},
      samples: [],
      lines: [],
    }
  }

  /** First reading: the download itself. */
  takeOwn(line: Line, buffer: Buffer, span: { from: number; to: number }): void {
    const { log } = this
    log.readFromS = Math.min(log.readFromS ?? line.timeS, line.timeS)
    if (!this.#isOwn(line, buffer)) return
    if (log.lines.length < linesMax) {
      log.lines.push(latin1(buffer, span.from, Math.min(span.to, span.from + lineCharsMax)))
    }
    if (!isServed(line)) {
      log.failed++
      return
    }
    const at = Math.floor((line.timeS - this.#request.startS) / this.#secondsPerPoint)
    const point = log.points[at]
    if (line.cache === cacheHit) {
      log.hits++
      if (point !== undefined) point[0] += line.bytes
    }
    if (line.cache !== cacheMiss) return
    log.misses++
    if (point !== undefined) point[1] += line.bytes
    if (log.examined < missesMax) this.#takeMiss(line, buffer, span)
  }

  /** Second reading: whoever asked for the same objects before. */
  takeEarlier(line: Line, buffer: Buffer): void {
    if (!isServed(line) || (line.cache !== cacheHit && line.cache !== cacheMiss)) return
    const format = this.#keyFormat(line.tag)
    if (format === null) return
    const missed = this.#byPath.get(this.#pathKey(format, line, buffer))
    if (missed === undefined) return
    const range = rangeOf(latin1(buffer, line.range.from, line.range.to))
    const { sliceBytes } = this.#request
    const first = sliceStartAt(format, firstByteOf(buffer, line.range), sliceBytes) ?? 0
    const last = range?.kind === 'inclusive' ? range.end : range === null ? first : Infinity
    const isOwn = this.#isOwn(line, buffer)
    for (const one of missed) {
      const start = one.sliceStart ?? 0
      if (line.timeS >= one.timeS || start < first || start > last) continue
      if (one.before !== null && one.before.timeS > line.timeS) continue
      one.before = { timeS: line.timeS, isHit: line.cache === cacheHit, isOwn }
    }
  }

  finish(): DownloadLog {
    const { log } = this
    const all = [...this.#byPath.values()].flat()
    for (const one of all) {
      one.cause = causeOf(one, (log.readFromS ?? one.timeS) < this.#request.startS)
      log.causes[one.cause] = (log.causes[one.cause] ?? 0) + 1
    }
    const shown = new Map<MissCause, number>()
    const perCause = Math.ceil(samplesMax / Math.max(1, Object.keys(log.causes).length))
    log.samples = all
      .toSorted((a, b) => a.timeS - b.timeS)
      .filter(({ cause }) => {
        const count = (shown.get(cause) ?? 0) + 1
        shown.set(cause, count)
        return count <= perCause
      })
    return log
  }

  #takeMiss(line: Line, buffer: Buffer, span: { from: number; to: number }): void {
    this.log.examined++
    const format = this.#keyFormat(line.tag)
    const range = rangeOf(latin1(buffer, line.range.from, line.range.to))
    const state = stateIn(latin1(buffer, span.from, span.to))
    const key = format === null ? '' : this.#pathKey(format, line, buffer)
    const first = firstByteOf(buffer, line.range)
    const missed: MissedRequest = {
      path: normalisedPath(targetText(line, buffer)).slice(0, pathLengthMax),
      timeS: line.timeS,
      bytes: line.bytes,
      sliceStart: format === null ? null : sliceStartAt(format, first, this.#request.sliceBytes),
      before: null,
      cause:
        state === 'EXPIRED'
          ? 'expired'
          : state === 'BYPASS'
            ? 'bypassed'
            : range === null
              ? 'range'
              : 'unknown',
    }
    const list = this.#byPath.get(key)
    if (list === undefined) this.#byPath.set(key, [missed])
    else list.push(missed)
  }

  #isOwn(line: Line, buffer: Buffer): boolean {
    const { client, tag, titleKey, isPrefill, startS } = this.#request
    if (line.timeS < startS || line.client.address !== client || line.tag.text !== tag) return false
    if (!isPrefill && line.isPrefill) return false
    const { platform } = line.tag
    if (platform === null || !isServed(line)) return platform === null ? titleKey === '' : true
    if (this.#titles.isFull) this.#titles.forget()
    return this.#titles.read(platform, buffer, line.target, line.host).key === titleKey
  }

  #keyFormat(tag: Tag): KeyFormat | null {
    let format = this.#keyFormats.get(tag.text)
    if (format === undefined) {
      format = keyFormatOf(this.#request.scheme, tag.service)
      this.#keyFormats.set(tag.text, format)
    }
    return format
  }

  #pathKey(format: KeyFormat, line: Line, buffer: Buffer): string {
    const target = targetText(line, buffer)
    return `${format.keyTag}\n${format.isRaw ? target : normalisedPath(target)}`
  }
}

/** What the lines prove; `unknown` where they prove nothing. */
function causeOf({ cause, before, timeS }: MissedRequest, hasLinesBefore: boolean): MissCause {
  if (cause !== 'unknown') return cause
  if (before === null) return hasLinesBefore ? 'first' : 'unknown'
  if (before.isOwn) return 'again'
  if (!before.isHit && timeS - before.timeS <= togetherSeconds) return 'together'
  return 'gone'
}

/**
 * One download in the log: hits and misses over its time, its first lines, and for each object that
 * it missed what the lines before say. Reads at most the ends of the logs up to its end, twice.
 */
export async function readDownload(request: DownloadLogRequest): Promise<DownloadLog> {
  const reader = new TailReader({ ...request, fromS: 0 })
  const reading = new DownloadReading(request, reader)
  await reader.read((line, buffer, span) => reading.takeOwn(line, buffer, span))
  if (reading.log.misses > 0) await reader.read((line, buffer) => reading.takeEarlier(line, buffer))
  return reading.finish()
}
