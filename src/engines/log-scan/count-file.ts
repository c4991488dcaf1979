import { lstatSync } from 'node:fs'
import { pace } from '../../core/lib/pace.ts'
import type { JobContext } from '../engine.ts'
import { headBytes, openSource, type ByteSource } from '../logs/files/byte-source.ts'
import { readLogFolder, type LogFile } from '../logs/files/discovery.ts'
import { isText } from '../logs/changes/line-filter.ts'
import { Line, type Tag } from '../logs/lines/line.ts'
import { parseLine } from '../logs/lines/parse-line.ts'
import { serviceOfStem } from '../logs/lines/service-name.ts'
import type {
  CountFileRequest,
  CountProgress,
  FileCount,
  LogListing,
  UncountedReason,
} from './count-contract.ts'
import { hintOf } from './file-name-hints.ts'
import { readLines } from './read-lines.ts'

/** Services per file; a tag is a Host header, which a scanner can choose freely. */
export const servicesMax = 2000
/** Last counted bytes that are compared before counting continues; a line contains a time. */
const tailBytes = 256
const progressEveryMs = 250

export const reasonOfError = (error: unknown): UncountedReason => {
  const code = (error as { code?: string }).code
  if (code === 'ENOENT') return 'missing'
  if (code === 'EACCES' || code === 'EPERM') return 'denied'
  return code === undefined || code.startsWith('Z') ? 'damaged' : 'disk_error'
}

/** The log files of a folder that hold requests for a service. Never throws. */
export function listLogs(logPath: string): LogListing {
  const { files, unreadable, problem, filesOverLimit } = readLogFolder(logPath)
  const isFolderBad = problem === 'missing_directory' || problem === 'permission_denied'
  const reason = problem === 'permission_denied' ? 'denied' : 'missing'
  return {
    files: files.filter(({ stem }) => serviceOfStem[stem] !== null),
    uncounted: [
      ...(isFolderBad ? [{ file: null, reason } as const] : []),
      ...(filesOverLimit > 0 ? [{ file: null, reason: 'too_many' } as const] : []),
      ...unreadable.map((file) => ({ file, reason: 'not_a_file' as const })),
    ],
  }
}

const empty = (file: LogFile): FileCount => ({
  size: file.size,
  modifiedMs: file.modifiedMs,
  offset: 0,
  isInsideLongLine: false,
  head: new Uint8Array(0),
  tail: new Uint8Array(0),
  services: [],
  otherLines: 0,
  unreadableLines: 0,
  problem: null,
  isComplete: false,
})

async function bytesAt(source: ByteSource, from: number, length: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(length)
  return buffer.subarray(0, await source.read(buffer, from))
}

const isSame = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0

/** Whether the file was only appended to: longer, same beginning, same last counted line. */
async function hasOnlyGrown(source: ByteSource, file: LogFile, known: FileCount): Promise<boolean> {
  const { head, tail, offset } = known
  if (file.compression !== 'none' || offset === 0 || file.size < offset) return false
  if (known.isComplete && file.size <= known.size) return false
  return (
    isSame(await bytesAt(source, 0, head.length), head) &&
    isSame(await bytesAt(source, offset - tail.length, tail.length), tail)
  )
}

/**
 * Counts the readable lines of one listed file by service, continuing the last count when the file
 * has only grown. A line counts when the log engine's parser can read it, so lines that are no
 * requests are never counted, and removing a service leaves none of its counted lines. Null: the
 * file no longer exists. Never throws for disk errors.
 */
export async function countFile(
  { file, logPath, timeZone, known }: CountFileRequest,
  context: JobContext<CountProgress>,
): Promise<FileCount | null> {
  let count = empty(file)
  let source: ByteSource | null = null
  try {
    source = openListed(file, logPath)
    if (source === null) return null
    if (known !== null && (await hasOnlyGrown(source, file, known))) {
      count = { ...known, ...sizeOf(file), isComplete: false }
    }
    await countLines(source, { file, timeZone, count, context })
    const { error } = source as { error?: Error | null }
    if (error != null) count.problem = reasonOfError(error)
  } catch (error) {
    count.problem = reasonOfError(error)
    if (count.problem === 'missing') return null
    // Counted again next time.
    count.isComplete = false
  } finally {
    source?.close()
  }
  return count
}

const sizeOf = ({ size, modifiedMs }: LogFile) => ({ size, modifiedMs, problem: null })

/** Opens a listed file, even if renamed since; null when it is gone. */
function openListed(file: LogFile, logPath: string): ByteSource | null {
  const stat = lstatSync(file.path, { throwIfNoEntry: false })
  const isThere = String(stat?.ino) === file.inode && String(stat?.dev) === file.device
  if (isThere) return openSource(file.path, file.compression)
  const now = readLogFolder(logPath).files.find(
    ({ device, inode }) => device === file.device && inode === file.inode,
  )
  return now === undefined ? null : openSource(now.path, now.compression)
}

interface Counting {
  file: LogFile
  timeZone: string
  count: FileCount
  context: JobContext<CountProgress>
}

/** Adds the lines after `count.offset` to `count`. */
async function countLines(source: ByteSource, { file, timeZone, count, context }: Counting) {
  const isPlain = file.compression === 'none'
  const from = count.offset
  const line = new Line(timeZone)
  const hint = hintOf(file.stem)
  const tally = new Tally(count)
  const isDue = pace(progressEveryMs)
  if (isPlain && count.head.length < headBytes) count.head = await bytesAt(source, 0, headBytes)
  const reading = await readLines(
    { read: (buffer, offset) => source.read(buffer, offset + from), close: () => {} },
    {
      toByte: isPlain ? file.size - from : Number.MAX_SAFE_INTEGER,
      isInsideLongLine: count.isInsideLongLine,
      line(buffer, span) {
        if (line.isFull) {
          line.forget()
          tally.finish()
        }
        const outcome = parseLine(line, hint, buffer, span)
        if (outcome === 'parsed') tally.add(line.tag)
        else if (outcome !== 'blank') tally.unreadable++
      },
      goesOn(readBytes) {
        if (isDue()) context.progress({ readBytes })
        return !context.isCancelled()
      },
    },
  )
  tally.finish()
  count.offset = from + reading.doneBytes
  count.isInsideLongLine = reading.isInsideLongLine
  count.isComplete = reading.isWhole
  if (!isPlain) return
  count.head = count.head.slice(0, Math.min(headBytes, count.offset))
  const tail = Math.min(tailBytes, count.offset)
  count.tail = await bytesAt(source, count.offset - tail, tail)
}

/** Counts by tag object, of which there are few; sums up by service at the end. */
class Tally {
  unreadable = 0
  readonly #count: FileCount
  readonly #services: Map<string, number>
  readonly #byTag = new Map<Tag, number>()

  constructor(count: FileCount) {
    this.#count = count
    this.#services = new Map(count.services)
  }

  add(tag: Tag): void {
    this.#byTag.set(tag, (this.#byTag.get(tag) ?? 0) + 1)
  }

  /** Call at the end, and when the parser clears its tags: later ones are other objects. */
  finish(): void {
    const services = this.#services
    for (const [{ text, service }, lines] of this.#byTag) {
      const known = services.get(service)
      if (!isText(text)) this.unreadable += lines
      else if (known !== undefined || services.size < servicesMax) {
        services.set(service, (known ?? 0) + lines)
      } else this.#count.otherLines += lines
    }
    this.#count.services = [...services]
    this.#count.unreadableLines += this.unreadable
    this.unreadable = 0
    this.#byTag.clear()
  }
}
