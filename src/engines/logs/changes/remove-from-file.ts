import { lstatSync, renameSync } from 'node:fs'
import { beginAlike } from '../files/binding.ts'
import {
  CompressedSource,
  headBytes,
  openSource,
  PlainSource,
  readHead,
  type ByteSource,
  type Compression,
} from '../files/byte-source.ts'
import type { LogFile } from '../files/discovery.ts'
import type { LogIngest } from '../ingest.ts'
import { takeTurns } from '../../../core/lib/pause.ts'
import { matcherFor, type LineFilter } from './line-filter.ts'
import type { Skipped } from '../files/member.ts'
import { Packer } from './packer.ts'
import { deleteMember, readerOf, replaceMember } from './replace.ts'
import { RewriteRefused } from './rewrite-refused.ts'
import { checkRegular, syncDirectory, TemporaryFile } from './rewrite.ts'
import { hintOf } from '../files/series.ts'
import { LineSplitter, markAt, type Mark } from './line-splitter.ts'

/** What removing lines needs from its engine. */
export interface RemovalHost {
  readonly ingest: LogIngest
  readonly timeZone: string
  /** Runs `job` while no batch is running. */
  between<T>(job: () => T): Promise<T>
}

export interface FileTask {
  datasource: string
  name: string
  filter: LineFilter
  isCancelled(): boolean
  /** Bytes examined so far, decompressed. */
  progress(bytes: number, removedLines: number): void
}

export interface FileReport {
  outcome: 'untouched' | 'rewritten' | 'deleted' | 'moved'
  lines: number
  removedLines: number
  /** Sizes on disk. */
  bytesBefore: number
  bytesAfter: number
  /** Device and inode of the new version. */
  identity: string | null
}

export class RemovalCancelled extends Error {}

const blockBytes = 1024 * 1024
/** Bytes judged and copied while ingestion is paused; takes a few milliseconds. */
const maxSwapBytes = 4 * blockBytes
const behindPauseMs = 100
const maxSwapTries = 600
const lineFeed = 10

/** The file's state when the work begins. */
interface Target {
  file: LogFile
  path: string
  compression: Compression
  device: string
  inode: string
  size: number
  modifiedMs: number
  stem: string
  /** Null: a file without a position, which is a copy of one that has one. */
  memberId: number | null
  /** The file is no longer written to. */
  isComplete: boolean
  countedLines: number
  ranges: Skipped[]
}

const nothing = { lines: 0, removedLines: 0, bytesBefore: 0, bytesAfter: 0, identity: null }

/**
 * Removes lines from one file: reads it first, then keeps it, deletes it, or replaces it with a new
 * version. Removes only lines that were counted before; later ones stay. `moved`: the file has
 * changed since the work began, so nothing was done.
 */
export async function removeFromFile(host: RemovalHost, task: FileTask): Promise<FileReport> {
  const target = await host.between(() => targetOf(host, task))
  if (target === null) return { ...nothing, outcome: 'moved' }
  const matcher = matcherFor(task.filter, hintOf(target.stem), host.timeZone)
  const unchanged = { ...nothing, bytesBefore: target.size, bytesAfter: target.size }
  if (matcher.scope === 'none') return { ...unchanged, outcome: 'untouched' }
  checkRegular(target.path)
  const removal = new FileRemoval(host, task, target)
  if (matcher.scope === 'all') return await host.between(() => removal.deleteWhole())
  try {
    const found = await removal.judge(new LineSplitter(matcher))
    if (found.isNothing) return { ...unchanged, outcome: 'untouched', lines: found.lines }
    return await removal.rewrite(new LineSplitter(matcher, removal.marks))
  } finally {
    removal.close()
  }
}

function targetOf(host: RemovalHost, { datasource, name }: FileTask): Target | null {
  const source = host.ingest.sources.find(({ config }) => config.name === datasource)
  const file = source?.directory?.files.find((one) => one.name === name)
  if (source === undefined || file === undefined) return null
  const { path, compression, device, inode, size, modifiedMs, stem } = file
  const facts = { file, path, compression, device, inode, size, modifiedMs, stem }
  const member = readerOf(source, name)?.reader.member
  if (member === undefined) {
    return { ...facts, memberId: null, isComplete: true, countedLines: 0, ranges: [] }
  }
  if (compression !== 'none' && member.state !== 'complete') {
    throw new RewriteRefused('it has not been read to its end yet')
  }
  if (member.error !== null) throw new RewriteRefused('it cannot be read to its end')
  const ranges = host.ingest.tracker.skipped.filter(({ memberId }) => memberId === member.id)
  return {
    ...facts,
    memberId: member.id,
    isComplete: member.state === 'complete',
    countedLines: member.lines,
    ranges: ranges.map((range) => ({ ...range })),
  }
}

class FileRemoval {
  readonly marks: Mark[]
  readonly #host: RemovalHost
  readonly #task: FileTask
  readonly #target: Target
  readonly #buffer = new Uint8Array(blockBytes)
  readonly #kept = new Uint8Array(blockBytes)
  #keptBytes = 0
  /** Bytes of the current block in `#kept`. */
  #filled = 0
  /** First bytes of the old and of the new version, decompressed. */
  #oldHead: Uint8Array = new Uint8Array(0)
  #headBytes: Uint8Array = new Uint8Array(0)
  #temporary: TemporaryFile | null = null
  #packer: Packer | null = null
  #source: ByteSource | null = null

  constructor(host: RemovalHost, task: FileTask, target: Target) {
    this.#host = host
    this.#task = task
    this.#target = target
    this.marks = target.ranges.flatMap(({ fromByte, toByte }) => [markAt(fromByte), markAt(toByte)])
  }

  close(): void {
    this.#source?.close()
    this.#packer?.stop()
    this.#temporary?.discard()
  }

  /** Searches for both kinds of lines; stops as soon as it has seen one of each. */
  async judge(splitter: LineSplitter): Promise<{ isNothing: boolean; lines: number }> {
    await this.#pump(splitter, await this.#limit(), () => {
      return splitter.removedLines === 0 || splitter.removedLines === splitter.lines
    })
    this.#source?.close()
    this.#source = null
    return { isNothing: splitter.removedLines === 0, lines: splitter.lines }
  }

  async rewrite(splitter: LineSplitter): Promise<FileReport> {
    const { path, compression } = this.#target
    this.#oldHead = await readHead(path, compression)
    const temporary = new TemporaryFile(path, this.#target)
    this.#temporary = temporary
    this.#packer = new Packer(temporary, compression)
    for (let tries = 0; ; tries++) {
      await this.#pump(splitter, await this.#limit(), () => true)
      if (compression !== 'none') await this.#packer.finish()
      temporary.sync()
      const outcome = await this.#host.between(() => this.#swap(splitter))
      if (outcome !== 'again') return this.#report(outcome, splitter)
      if (tries > maxSwapTries) throw new RewriteRefused('it grows faster than it is read')
      await Bun.sleep(behindPauseMs)
    }
  }

  /** Needs no check of lines: all of them match, and all of them were counted. */
  deleteWhole(): FileReport {
    if (!this.#isSame(null)) return { ...nothing, outcome: 'moved' }
    const { size, countedLines } = this.#target
    this.#delete()
    const lines = { lines: countedLines, removedLines: countedLines }
    return { ...nothing, outcome: 'deleted', ...lines, bytesBefore: size }
  }

  #report(outcome: 'rewritten' | 'deleted' | 'moved', splitter: LineSplitter): FileReport {
    if (outcome === 'moved') return { ...nothing, outcome }
    const { lines, removedLines } = splitter
    const report = { ...nothing, outcome, lines, removedLines, bytesBefore: this.#target.size }
    if (outcome === 'deleted' || this.#temporary === null) return report
    const { size: bytesAfter, identity } = this.#temporary
    this.#temporary.close()
    this.#temporary = null
    return { ...report, bytesAfter, identity }
  }

  /** Offset up to which lines were counted and committed. */
  #limit(): Promise<number> {
    const { compression, memberId, size } = this.#target
    if (compression !== 'none') return Promise.resolve(Number.POSITIVE_INFINITY)
    if (memberId === null) return Promise.resolve(size)
    return this.#host.between(() => this.#member()?.offset ?? 0)
  }

  /** Judges lines up to `limit`, as long as `goesOn`; kept lines go into the new version. */
  async #pump(splitter: LineSplitter, limit: number, goesOn: () => boolean): Promise<void> {
    const { path, compression, inode } = this.#target
    this.#source ??= openSource(path, compression)
    if (this.#source instanceof PlainSource && this.#source.stat().inode !== inode) return
    while (goesOn() && splitter.at < limit) {
      const length = await this.#source.read(this.#buffer, splitter.at)
      const block = this.#buffer.subarray(0, Math.min(length, limit - splitter.at))
      const isEnd = length < this.#buffer.length
      if (this.#split(splitter, block) === 0 && !isEnd) break
      await this.#addKept()
      this.#task.progress(splitter.at, splitter.removedLines)
      if (this.#task.isCancelled()) throw new RemovalCancelled()
      if (isEnd) break
      await takeTurns()
    }
    if (this.#source instanceof CompressedSource) await this.#endCompressed(splitter)
  }

  /** Keeps an incomplete last line; leaves a truncated file unchanged. */
  async #endCompressed(splitter: LineSplitter): Promise<void> {
    const source = this.#source
    if (!(source instanceof CompressedSource) || this.#packer === null) return
    const length = await source.read(this.#buffer, splitter.at)
    if (source.error !== null) throw new RewriteRefused('it cannot be read to its end')
    if (length === 0) return
    this.#noteHead(this.#buffer.subarray(0, length))
    await this.#packer.add(this.#buffer.subarray(0, length))
  }

  /** Judges one block and collects the kept lines in `#kept`. Returns the bytes consumed. */
  #split(splitter: LineSplitter, block: Uint8Array): number {
    this.#filled = 0
    return splitter.feed(block, (from, to) => {
      this.#kept.set(block.subarray(from, to), this.#filled)
      this.#filled += to - from
    })
  }

  async #addKept(): Promise<void> {
    if (this.#packer === null || this.#filled === 0) return
    const kept = this.#kept.subarray(0, this.#filled)
    this.#noteHead(kept)
    await this.#packer.add(kept)
  }

  #noteHead(kept: Uint8Array): void {
    this.#keptBytes += kept.length
    const missing = headBytes - this.#headBytes.length
    if (missing <= 0) return
    this.#headBytes = Buffer.concat([this.#headBytes, kept.subarray(0, missing)])
  }

  #find() {
    const source = this.#host.ingest.sources.find(
      ({ config }) => config.name === this.#task.datasource,
    )
    return source === undefined
      ? undefined
      : { source, found: readerOf(source, this.#task.name)?.reader }
  }

  #member() {
    return this.#find()?.found?.member
  }

  /** Whether the file on disk, and its recorded state, are unchanged since the work began. */
  #isSame(splitter: LineSplitter | null): boolean {
    const { path, device, inode, size, memberId, ranges, compression } = this.#target
    const member = this.#member()
    if ((member?.id ?? null) !== memberId) return false
    try {
      const stat = lstatSync(this.#temporary?.original ?? path)
      if (String(stat.ino) !== inode || String(stat.dev) !== device) return false
      if ((compression !== 'none' || memberId === null) && stat.size !== size) return false
      if (stat.size < (splitter?.at ?? 0) && compression === 'none') return false
    } catch {
      return false
    }
    const now = this.#host.ingest.tracker.skipped.filter((range) => range.memberId === memberId)
    return Bun.deepEquals(now, ranges)
  }

  #delete(): void {
    const where = this.#find()
    if (where !== undefined) deleteMember(this.#host.ingest, where.source, this.#target.file)
    syncDirectory(this.#target.path)
  }

  /** Judges the rest, copies the lines not counted yet, and swaps the files. */
  #swap(splitter: LineSplitter): 'rewritten' | 'deleted' | 'moved' | 'again' {
    const temporary = this.#temporary
    if (!this.#isSame(splitter) || temporary === null) return 'moved'
    const end = this.#target.compression === 'none' ? this.#takeRest(splitter, temporary) : 0
    if (end === null) return 'again'
    if (this.#keptBytes === 0) {
      this.#delete()
      return 'deleted'
    }
    temporary.sync()
    if (this.#target.isComplete) temporary.setTimes(this.#target.modifiedMs)
    return this.#replace(splitter, temporary, end)
  }

  #replace(splitter: LineSplitter, temporary: TemporaryFile, end: number): 'rewritten' | 'moved' {
    const { path, memberId } = this.#target
    const where = this.#find()
    if (memberId === null || where === undefined) {
      // A copy that begins differently would count as new; it is recognised after its original
      // changed.
      if (!beginAlike(this.#oldHead, this.#headBytes)) return 'moved'
      renameSync(temporary.path, temporary.original)
    } else {
      const markOf = (at: number) => this.marks.find((mark) => mark.at === at)
      const isReplaced = replaceMember(this.#host.ingest, where.source, {
        name: this.#task.name,
        path: temporary.path,
        target: temporary.original,
        head: this.#headBytes,
        moved: (at) => at - (markOf(at)?.removedBytes ?? splitter.removedBytes),
        removedLines: (at) => markOf(at)?.removedLines ?? splitter.removedLines,
        end,
      })
      if (!isReplaced) return 'moved'
    }
    syncDirectory(path)
    return 'rewritten'
  }

  /**
   * Judges lines counted since, and copies uncounted ones unchanged: removing them would lose them.
   * Returns the end of the new version; null: too much for one pause.
   */
  #takeRest(splitter: LineSplitter, temporary: TemporaryFile): number | null {
    const source = this.#source
    if (!(source instanceof PlainSource)) return null
    const { isComplete, memberId, size: sizeBefore } = this.#target
    const { size } = source.stat()
    if (size - splitter.at > maxSwapBytes) return null
    const limit = memberId === null ? sizeBefore : (this.#member()?.offset ?? 0)
    if (limit < splitter.at) return null
    while (splitter.at < limit) {
      const length = source.read(this.#buffer, splitter.at)
      const block = this.#buffer.subarray(0, Math.min(length, limit - splitter.at))
      if (length === 0 || this.#split(splitter, block) === 0) break
      this.#addNow(temporary, this.#kept.subarray(0, this.#filled))
    }
    let end = splitter.at
    for (;;) {
      const length = source.read(this.#buffer, end)
      const block = this.#buffer.subarray(0, length)
      // An unfinished line is completed in the old version and read there.
      const whole = isComplete ? length : block.lastIndexOf(lineFeed) + 1
      if (whole === 0) return end
      this.#addNow(temporary, block.subarray(0, whole))
      end += whole
    }
  }

  #addNow(temporary: TemporaryFile, bytes: Uint8Array): void {
    this.#noteHead(bytes)
    temporary.add(bytes)
  }
}
