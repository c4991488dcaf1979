import type { ByteSource } from '../logs/files/byte-source.ts'
import type { LogFile } from '../logs/files/discovery.ts'
import { serviceOfStem } from '../logs/lines/service-name.ts'
import { readLogFolder } from '../logs/files/discovery.ts'
import { hintOf } from './file-name-hints.ts'
import { isHealthCheck, Line } from '../logs/lines/line.ts'
import { parseLine, type SeriesHint } from '../logs/lines/parse-line.ts'
import { openMember, reasonOf } from './members.ts'
import { readLines } from './read-lines.ts'
import type { LogPeriod, TailCoverage } from './tail-contract.ts'

/** Bytes read at the end of each log file: about 150 000 requests, in a fifth of a second. */
export const tailBytes = 32 * 1024 * 1024
/** Files read per datasource, newest first. */
export const tailFiles = 8

/** Bytes that hold some lines, to find a time in a log. */
const probeBytes = 64 * 1024
/** Lines come at most this much later than their time. */
const lateSeconds = 120

const letterG = 0x47

/** Receives each request line from the ends of the logs. */
export type TakeLine = (line: Line, buffer: Buffer, span: LineSpan) => void

interface LineSpan {
  from: number
  to: number
}

/** The end of a plain file, presented as a file of its own. */
const shifted = (source: ByteSource, by: number): ByteSource => ({
  read: (buffer, offset) => source.read(buffer, offset + by),
  close: () => source.close(),
})

/**
 * Reads the ends of a datasource's logs and passes on every GET request of the period that was a
 * client's download. May be called several times with the same files. Never throws for disk errors.
 */
export class TailReader {
  readonly coverage: TailCoverage = { filesRead: 0, linesRead: 0, isCut: false, problem: null }
  /** Of log files, by the last call. */
  bytesRead = 0
  readonly #request: LogPeriod
  readonly #files: LogFile[]

  constructor(request: LogPeriod) {
    this.#request = request
    this.#files = this.#choose()
  }

  async read(take: TakeLine): Promise<void> {
    this.coverage.filesRead = 0
    this.coverage.linesRead = 0
    this.bytesRead = 0
    for (const file of this.#files) {
      try {
        await this.#readFile(file, take)
        this.coverage.filesRead++
      } catch (error) {
        this.coverage.problem ??= `${file.name} cannot be read: ${reasonOf(error)}`
      }
    }
  }

  #choose(): LogFile[] {
    const { logPath, fromS } = this.#request
    const { files, problem, message } = readLogFolder(logPath)
    if (problem !== 'none') this.coverage.problem = message ?? 'there is no access log'
    const recent = files
      .filter(({ stem, modifiedMs }) => serviceOfStem[stem] !== null && modifiedMs >= fromS * 1000)
      .toSorted((a, b) => b.modifiedMs - a.modifiedMs)
    const plain = recent.filter(({ compression }) => compression === 'none').slice(0, tailFiles)
    // A compressed file cannot be read from its end.
    this.coverage.isCut = plain.length < recent.length
    return plain.toReversed()
  }

  /** Where the lines of the period end: lines of a log are in the order of their time, nearly. */
  async #endOf(file: LogFile, source: ByteSource, hint: SeriesHint): Promise<number> {
    const { toS, timeZone } = this.#request
    if (toS + lateSeconds >= file.modifiedMs / 1000) return file.size
    const line = new Line(timeZone)
    let [low, high] = [0, file.size]
    while (high - low > probeBytes) {
      const middle = Math.floor((low + high) / 2)
      let timeS: number | null = null
      let isFirst = true
      await readLines(shifted(source, middle), {
        toByte: Math.min(probeBytes, file.size - middle),
        line(buffer, span) {
          const isBroken = isFirst || timeS !== null
          isFirst = false
          const isRead = !isBroken && parseLine(line, hint, buffer, span) === 'parsed'
          if (isRead && !line.isAhead) timeS = line.timeS
        },
        goesOn: () => true,
      })
      if (timeS === null) return file.size
      if (timeS > toS + lateSeconds) high = middle
      else low = middle
    }
    return Math.min(file.size, high + probeBytes)
  }

  async #readFile(file: LogFile, take: TakeLine): Promise<void> {
    const { fromS, toS, timeZone, logPath, bytesMax = tailBytes } = this.#request
    const hint: SeriesHint = hintOf(file.stem)
    const line = new Line(timeZone)
    const source = openMember(file, logPath)
    let oldestS = Number.MAX_SAFE_INTEGER
    try {
      const end = await this.#endOf(file, source, hint)
      // One byte more: if it ends a line, the dropped first line is empty.
      const from = Math.max(0, end - bytesMax - 1)
      this.bytesRead += end - from
      let isFirst = from > 0
      await readLines(shifted(source, from), {
        toByte: end - from,
        line: (buffer, span) => {
          if (isFirst) {
            isFirst = false
            return
          }
          this.coverage.linesRead++
          if (line.isFull) line.forget()
          if (parseLine(line, hint, buffer, span) !== 'parsed') return
          oldestS = Math.min(oldestS, line.timeS)
          if (line.timeS < fromS || line.timeS > toS || line.methodFirst !== letterG) return
          if (line.isProbe || isHealthCheck(buffer, line.target)) return
          take(line, buffer, span)
        },
        goesOn: () => true,
      })
      if (from > 0 && oldestS > fromS) this.coverage.isCut = true
    } finally {
      source.close()
    }
  }
}
