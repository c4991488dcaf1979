import { statSync } from 'node:fs'
import type { Accumulator } from '../downloads/accumulator.ts'
import { bindSeries, renamed, type SeenFile } from './binding.ts'
import { PlainSource, readHead, headBytes } from './byte-source.ts'
import { readLogFolder, maxFiles, type LogFile } from './discovery.ts'
import { faultOf, liveFault, notAFile } from './file-faults.ts'
import type { SourceProblem } from '../wire.ts'
import { toItsEnd, type Member, type Skipped } from './member.ts'
import { closeReader, newSeries, type Reader, type Series, type Source } from './series.ts'
import type { FirstStart } from '../first-start.ts'
import type { NoteLimit } from '../limits.ts'
import type { LogStore } from '../store.ts'

const discoverEveryMs = 1000
/** Listing thousands of files takes a while: at most one tenth of the time is spent on it. */
const restPerDiscovery = 10
const firstBackoffMs = 1000
const lastBackoffMs = 60_000
const warnEveryMs = 300_000
/** So many are named in one warning. */
const maxNamed = 10
/** A renamed file may still be written to until its writer reopens its log. */
const quietMs = 60_000
const deletedQuietMs = 10_000
/** A writer that was never signalled to reopen its log may be silent for a night. */
const neverReopenedMs = 24 * 3_600_000
const maxHeads = 1000

export interface TrackerOptions {
  store: LogStore
  accumulator: Accumulator
  start: FirstStart
  note: NoteLimit
  /** Datasources that are configured. */
  names: ReadonlySet<string>
  /** What is before the end can be read later; else it may have been counted already. */
  remembersStart: boolean
  warn(text: string, facts: object): void
}

/** Tracks the existing files and assigns their positions. */
export class Tracker {
  readonly members: Member[]
  readonly skipped: Skipped[]
  readonly dirty = new Set<Member>()
  readonly #options: TrackerOptions
  readonly #heads = new Map<string, Uint8Array>()

  constructor(options: TrackerOptions) {
    this.#options = options
    this.members = options.store.members()
    this.skipped = options.store.skipped()
  }

  /** Lists the directory when due; retries after errors with growing delays. */
  async discover(source: Source): Promise<void> {
    const elapsedMs = performance.now()
    if (elapsedMs < source.nextDiscoveryMs && !hasChanged(source)) return
    // Read first, so that a change during the listing is noticed.
    source.changedMs = changedMs(source.directory?.path ?? source.config.logPath)
    const directory = readLogFolder(source.config.logPath)
    source.directory = directory
    if (directory.filesOverLimit > 0) this.#options.note('logFiles', maxFiles, directory.path)
    if (directory.problem === 'none') {
      source.failures = 0
      source.nextDiscoveryMs = elapsedMs + discoverEveryMs
    } else {
      source.nextDiscoveryMs =
        elapsedMs + Math.min(lastBackoffMs, firstBackoffMs * 2 ** source.failures)
      source.failures = Math.min(source.failures + 1, 10)
    }
    source.errors.clear()
    for (const name of directory.unreadable) source.errors.set(name, notAFile)
    if (directory.problem !== 'none') this.#warnAbout(source, elapsedMs)
    const { name } = source.config
    const { start } = this.#options
    if (start.isOpen(name)) return
    const firstKey = `discovered:${name}`
    const isFirst = this.#options.store.meta(firstKey) === null
    for (const stem of new Set([
      ...source.series.keys(),
      ...directory.files.map((file) => file.stem),
    ])) {
      const files = directory.files.filter((file) => file.stem === stem)
      await this.#bind(source, stem, files, isFirst && start.of(name) === 'end')
    }
    if (isFirst && ['none', 'no_sources'].includes(directory.problem)) {
      this.#options.store.setMeta(firstKey, new Date().toISOString())
    }
    this.#warnAboutFiles(source, elapsedMs)
    if (source.nextDiscoveryMs === 0) return
    const restMs = restPerDiscovery * (performance.now() - elapsedMs)
    source.nextDiscoveryMs = Math.max(source.nextDiscoveryMs, elapsedMs + restMs)
  }

  /** Stops watching files that are no longer written to. */
  retire(series: Series, nowMs: number): void {
    series.readers = series.readers.filter((reader) => {
      const { member, file, source } = reader
      const atEnd = reader.exhaustedAt === file.size
      const isLast = reader === series.readers.at(-1)
      if (file.compression !== 'none' || !(source instanceof PlainSource) || !atEnd) return true
      const idleMs = nowMs - file.modifiedMs
      const isWatched = isLast || idleMs < quietMs
      if (reader.isDeleted ? idleMs < patienceWith(reader, series) : isWatched) return true
      closeReader(reader)
      member.state = reader.isDeleted ? 'gone' : 'complete'
      member.sizeBytes = file.size
      member.modifiedMs = file.modifiedMs
      this.dirty.add(member)
      return !reader.isDeleted
    })
  }

  /** Skipped ranges that are to be read now. */
  wanted(datasource: string): { range: Skipped; member: Member; bytes: number }[] {
    return this.skipped.flatMap((range) => {
      const member = this.members.find(({ id }) => id === range.memberId)
      if (!range.isWanted || member === undefined || range.fromByte >= range.toByte) return []
      if (member.datasource !== datasource || member.state === 'gone') return []
      const end = range.toByte === toItsEnd ? range.fromByte + member.sizeBytes : range.toByte
      return [{ range, member, bytes: Math.max(0, end - range.fromByte) }]
    })
  }

  /** Drops ranges that were read completely; the commit has deleted their rows. */
  dropFinished(): void {
    const rest = this.skipped.filter(({ fromByte, toByte }) => fromByte < toByte)
    this.skipped.splice(0, Infinity, ...rest)
  }

  async #bind(source: Source, stem: string, files: LogFile[], atEnd: boolean): Promise<void> {
    const { name } = source.config
    const seen: SeenFile[] = []
    for (const file of files) {
      const head = await this.#head(source, file)
      if (head !== null) seen.push({ file, head })
    }
    const own = this.members.filter((one) => one.datasource === name && one.stem === stem)
    const members = own.length > 0 ? own : this.#adopt(name, stem, seen)
    const bindings = bindSeries(seen, members, (one) => this.#create(name, one, atEnd))
    let series = source.series.get(stem)
    if (series === undefined) {
      const { accumulator } = this.#options
      series = newSeries(stem, name, (lane, owner) => accumulator.lane(lane, owner))
      source.series.set(stem, series)
    }
    const before = new Map(series.readers.map((reader) => [reader.member, reader]))
    const readers: Reader[] = []
    // In the order of the files.
    for (const one of seen) {
      const binding = bindings.get(one)
      if (binding === undefined) continue
      // Too short to identify: its first line must not wait for the next discovery.
      if (binding.kind === 'wait' && one.file.compression === 'none') source.nextDiscoveryMs = 0
      if (binding.kind !== 'member' && binding.kind !== 'new') continue
      readers.push(this.#reader(before.get(binding.member), binding.member, one))
      before.delete(binding.member)
    }
    const lost = [...before.values()].filter((reader) => this.#lose(reader))
    series.readers = [...lost, ...readers]
  }

  /** What was counted stays under the old name. */
  #adopt(name: string, stem: string, seen: readonly SeenFile[]): Member[] {
    const { names } = this.#options
    const orphans = this.members.filter((one) => one.stem === stem && !names.has(one.datasource))
    const adopted = renamed(orphans, seen)
    const from = adopted[0]?.datasource
    for (const member of adopted) {
      member.datasource = name
      this.dirty.add(member)
    }
    const facts = { from, to: name, stem }
    if (from !== undefined) this.#options.warn('a datasource goes on under another name', facts)
    return adopted
  }

  #reader(before: Reader | undefined, member: Member, { file, head }: SeenFile): Reader {
    const isSame = before?.file.inode === file.inode && before.file.device === file.device
    if (before !== undefined && !isSame) closeReader(before)
    const hasChanged =
      member.name !== file.name || member.inode !== file.inode || member.device !== file.device
    if (head.length > member.head.length && member.head.length < headBytes) {
      member.head = head
      this.dirty.add(member)
    }
    const isPlain = file.compression === 'none'
    if (isPlain && member.inode === file.inode && file.size < member.offset) {
      // Truncated in place: the part before the new end is known, anything after it is new.
      this.#options.warn('log file became shorter', { file: file.path, size: file.size })
      member.offset = file.size
      member.head = head
      this.dirty.add(member)
    }
    const isUntouched = member.sizeBytes === file.size && member.modifiedMs === file.modifiedMs
    const isKnownEnd = member.state === 'complete' && !hasChanged && isUntouched
    if (hasChanged || (member.state !== 'open' && !isKnownEnd)) {
      Object.assign(member, { name: file.name, device: file.device, inode: file.inode })
      if (!isKnownEnd) member.state = 'open'
      member.error = null
      member.seenAt = Date.now()
      this.dirty.add(member)
    }
    if (before !== undefined && isSame) {
      if (file.size !== before.file.size) before.exhaustedAt = -1
      before.file = file
      before.isDeleted = false
      return before
    }
    const fresh = { source: null, exhaustedAt: -1, hasIncompleteLine: false, isDeleted: false }
    return { member, file, ...fresh, leftAtSize: null }
  }

  /** A member without a file on disk: true while its open file still must be drained. */
  #lose(reader: Reader): boolean {
    const { member, source } = reader
    if (source instanceof PlainSource && source.begins(member.head)) {
      reader.isDeleted = true
      return true
    }
    closeReader(reader)
    member.state = 'gone'
    this.dirty.add(member)
    return false
  }

  #create(datasource: string, seen: SeenFile, atEnd: boolean): Member {
    return this.#options.store.database.transaction(() => {
      const member = this.#add(datasource, seen)
      if (atEnd) this.skipToEnd(member, seen.file)
      if (!this.#options.remembersStart) this.#forgetSkipped(member)
      return member
    })()
  }

  #add(datasource: string, { file, head }: SeenFile): Member {
    const member = this.#options.store.addMember({
      datasource,
      stem: file.stem,
      name: file.name,
      device: file.device,
      inode: file.inode,
      head,
      offset: 0,
      lines: 0,
      isInsideLongLine: false,
      sizeBytes: 0,
      modifiedMs: 0,
      state: 'open',
      error: null,
      seenAt: Date.now(),
    })
    this.members.push(member)
    return member
  }

  /** Skips the unread rest and records the range. Returns its complete lines. */
  skipToEnd(member: Member, file: LogFile): number {
    if (member.state === 'complete') return 0
    const end = file.compression === 'none' ? lastLineEnd(file, member.offset) : null
    const toByte = end?.offset ?? toItsEnd
    if (toByte <= member.offset) return 0
    const lines = end?.lines ?? 0
    const range = { memberId: member.id, fromByte: member.offset, toByte, lines, isWanted: false }
    const { isInsideLongLine } = member
    const moved = { ...member, offset: toByte, isInsideLongLine: false }
    if (file.compression !== 'none') {
      Object.assign(moved, { state: 'complete', sizeBytes: file.size })
      moved.modifiedMs = file.modifiedMs
    }
    const { store } = this.#options
    // In one transaction: a recorded range without its position would be read twice.
    const skipped = store.database.transaction(() => {
      store.saveMember(moved)
      return store.addSkipped({ ...range, isInsideLongLine })
    })()
    this.skipped.push(skipped)
    Object.assign(member, moved)
    return lines
  }

  #forgetSkipped({ id }: Member): void {
    for (const range of this.skipped.filter(({ memberId }) => memberId === id)) {
      range.fromByte = range.toByte
      this.#options.store.saveSkipped(range)
    }
    this.dropFinished()
  }

  async #head(source: Source, file: LogFile): Promise<Uint8Array | null> {
    const key = `${file.device}:${file.inode}:${file.size}:${file.modifiedMs}`
    const known = this.#heads.get(key)
    if (known !== undefined) return known
    try {
      const head = await readHead(file.path, file.compression)
      // A plain file was truncated meanwhile.
      if (head.length === 0 && file.size > 0 && file.compression !== 'none') {
        source.errors.set(file.name, faultOf('cannot be decompressed'))
      }
      if (this.#heads.size >= maxHeads) this.#heads.clear()
      // A plain file may be truncated and rewritten within one tick of its mtime.
      if (file.compression !== 'none' && head.length > 0) this.#heads.set(key, head)
      return head
    } catch (error) {
      // Renamed or deleted since it was listed: the next discovery finds it.
      const isGone = (error as { code?: string }).code === 'ENOENT'
      if (!isGone) source.errors.set(file.name, faultOf(error))
      return null
    }
  }

  #warnAbout(source: Source, elapsedMs: number): void {
    if (elapsedMs - source.warnedAtMs < warnEveryMs) return
    source.warnedAtMs = elapsedMs
    const { problem, message } = liveFault(source) ?? source.directory ?? {}
    this.#options.warn(message ?? 'log directory cannot be read', {
      datasource: source.config.name,
      problem,
    })
  }

  /** A file could not be read further. */
  noteFault(source: Source, name: string, error: unknown): void {
    source.errors.set(name, faultOf(error))
    this.#warnAboutFiles(source, performance.now())
  }

  /** A live log is warned about repeatedly, older files when others join them. */
  #warnAboutFiles(source: Source, elapsedMs: number): void {
    if (liveFault(source) !== null) return this.#warnAbout(source, elapsedMs)
    const faults = [...source.errors].map(([name, { reason }]) => `${name}: ${reason}`)
    const named = faults.slice(0, maxNamed).join('; ')
    if (named === '' || named === source.warnedFiles) return
    if (elapsedMs - source.filesWarnedAtMs < warnEveryMs) return
    Object.assign(source, { warnedFiles: named, filesWarnedAtMs: elapsedMs })
    const { name: datasource } = source.config
    const { length: count } = faults
    this.#options.warn('older log files cannot be read', { datasource, files: named, count })
  }
}

/** How long an unlinked file may be silent before its writer is assumed to have closed it. */
function patienceWith({ file, leftAtSize }: Reader, { readers }: Series): number {
  if (leftAtSize === null) return deletedQuietMs
  const isReopened = readers.some(
    (other) => !other.isDeleted && other.file.name === file.name && other.file.size > leftAtSize,
  )
  return isReopened ? deletedQuietMs : neverReopenedMs
}

/** The directory's mtime; 0 when unreadable. */
function changedMs(path: string): number {
  try {
    return statSync(path).mtimeMs
  } catch {
    return 0
  }
}

/** Changes of a directory with these are noticed at once, however long the next listing is off. */
const watched: readonly SourceProblem[] = [
  'none',
  'no_sources',
  'missing_directory',
  'unreadable_file',
]

/** A rotation, a first log and a new directory change its time. */
const hasChanged = ({ directory, changedMs: before }: Source): boolean =>
  directory !== null && watched.includes(directory.problem) && changedMs(directory.path) !== before

const countBlockBytes = 4 * 1024 * 1024
/** Lines of a skipped range are counted for display only, up to this much. */
const maxCountedBytes = 2 * 1024 * 1024 * 1024

/** End of the last complete line, and the number of lines from `offset`. */
function lastLineEnd(file: LogFile, offset: number): { offset: number; lines: number } {
  const source = new PlainSource(file.path)
  try {
    const buffer = new Uint8Array(countBlockBytes)
    let lines = 0
    let end = offset
    const start = Math.max(offset, file.size - maxCountedBytes)
    for (let at = start; at < file.size;) {
      const length = source.read(buffer, at)
      if (length === 0) break
      const block = buffer.subarray(0, length)
      for (let feed = block.indexOf(10); feed >= 0; feed = block.indexOf(10, feed + 1)) lines++
      const last = block.lastIndexOf(10)
      if (last >= 0) end = at + last + 1
      at += length
    }
    return { offset: end, lines }
  } finally {
    source.close()
  }
}
