import { renameSync, statSync } from 'node:fs'
import { beginAlike } from '../files/binding.ts'
import { openSource, PlainSource } from '../files/byte-source.ts'
import type { LogFile } from '../files/discovery.ts'
import { toItsEnd, type Member } from '../files/member.ts'
import { closeReader, type Reader, type Series, type Source } from '../files/series.ts'
import type { LogStore } from '../store.ts'
import { unlinkLog } from './log-folder.ts'
import type { Tracker } from '../files/tracker.ts'

/** A log file for which a new version was written beside it in the same directory. */
export interface Replacement {
  /** File name in the log directory. */
  name: string
  /** Path of the new version; it is renamed over the file. */
  path: string
  /** Path of the file in the folder that is held open; default: its path. */
  target?: string
  /** First bytes of the new version, decompressed. */
  head: Uint8Array
  /** New offset of a line that began at `offset`, in decompressed bytes. */
  moved(offset: number): number
  /** Lines before `offset` that the new version does not have. */
  removedLines(offset: number): number
  /** The new version lacks what the old one holds after this offset. */
  end: number
}

/**
 * A member's planned state; recorded before the rename, so that a crash cannot separate the two.
 */
interface Intent {
  memberId: number
  path: string
  device: string
  inode: string
  head: string
  offset: number
  lines: number
  sizeBytes: number
  modifiedMs: number
  ranges: { id: number; fromByte: number; toByte: number; lines: number }[]
  /** The file is the one being written: its writer must reopen it. */
  isCurrent: boolean
}

const intentKey = 'replacing'
const reopenKey = 'reopen_wanted'

/** No member row has this id: the rest of an unlinked file cannot be found again. */
const noId = -1

export function readerOf(
  source: Source,
  name: string,
): { series: Series; reader: Reader } | undefined {
  for (const series of source.series.values()) {
    const reader = series.readers.find(({ file, isDeleted }) => file.name === name && !isDeleted)
    if (reader !== undefined) return { series, reader }
  }
  return undefined
}

/** The proxy writes to the newest file of a series. */
export const isCurrent = ({ file }: Pick<Reader, 'file'>): boolean =>
  file.order[0] === 2 && file.compression === 'none'

/**
 * Puts the new version in place and moves the position with it: nothing is read twice or skipped.
 * Lines still written to the old version are read until its writer reopens its log. False when the
 * file has no position. Call between two batches; throws the rename's errors.
 */
export function replaceMember(
  ingest: { store: LogStore; tracker: Tracker },
  source: Source,
  by: Replacement,
): boolean {
  const { tracker, store } = ingest
  const found = readerOf(source, by.name)
  if (found === undefined) return false
  const { series, reader } = found
  const { member, file } = reader
  const ranges = tracker.skipped.filter((range) => range.memberId === member.id)
  const { dev, ino, size, mtimeMs } = statSync(by.path)
  const movedRanges = ranges.map(({ id, fromByte, toByte, lines }) => {
    const removed = by.removedLines(toByte) - by.removedLines(fromByte)
    const to = toByte === toItsEnd ? toItsEnd : by.moved(toByte)
    return { id, fromByte: by.moved(fromByte), toByte: to, lines: Math.max(0, lines - removed) }
  })
  const removedFromRanges = ranges.reduce(
    (sum, { fromByte, toByte }) => sum + by.removedLines(toByte) - by.removedLines(fromByte),
    0,
  )
  const removed = by.removedLines(member.offset) - removedFromRanges
  const intent: Intent = {
    memberId: member.id,
    path: file.path,
    device: String(dev),
    inode: String(ino),
    head: Buffer.from(by.head).toString('base64'),
    offset: member.offset === toItsEnd ? toItsEnd : by.moved(member.offset),
    lines: Math.max(0, member.lines - removed),
    sizeBytes: size,
    modifiedMs: Math.floor(mtimeMs),
    ranges: movedRanges,
    isCurrent: isCurrent(reader),
  }
  const old = { ...member, id: noId, offset: Math.max(member.offset, by.end) }
  // Reading resumes after an overlong line that was being skipped.
  if (by.end > member.offset) old.isInsideLongLine = false
  store.setMeta(intentKey, JSON.stringify(intent))
  renameSync(by.path, by.target ?? file.path)
  const ghost = store.database.transaction(() => apply(store, intent))()
  Object.assign(member, valuesOf(intent))
  for (const range of ranges) Object.assign(range, { ...movedRanges.find(sameId(range)) })
  if (ghost !== null) tracker.members.push(ghost)
  const isRead = reader.source instanceof PlainSource
  if (isRead) {
    const leftAtSize = intent.isCurrent ? size : null
    series.readers.unshift({ ...reader, member: old, isDeleted: true, leftAtSize })
  } else closeReader(reader)
  reader.source = null
  reader.exhaustedAt = -1
  reader.hasIncompleteLine = false
  const identity = { device: intent.device, inode: intent.inode }
  reader.file = { ...file, ...identity, size, modifiedMs: intent.modifiedMs }
  source.nextDiscoveryMs = 0
  return true
}

/**
 * Deletes a log file. Unread lines of a plain one, and lines its writer still appends, are read
 * until it reopens its log. Call between two batches; throws the deletion's errors.
 */
export function deleteMember(
  ingest: { store: LogStore; tracker: Tracker },
  source: Source,
  file: LogFile,
): void {
  const reader = readerOf(source, file.name)?.reader
  // Must be opened now: an unlinked file has no name.
  if (reader !== undefined && file.compression === 'none') {
    reader.source ??= openSource(file.path, file.compression)
  }
  unlinkLog(file.path, file)
  source.nextDiscoveryMs = 0
  if (!isCurrent({ file })) return
  if (reader !== undefined) reader.leftAtSize = 0
  wantReopen(ingest.store)
}

/** Completes or discards a replacement that a crash interrupted. Call before members are read. */
export function recoverReplacement(store: LogStore): void {
  const text = store.meta(intentKey)
  if (text === null || text === '') return
  // Written only by `replaceMember`.
  const intent = JSON.parse(text) as Intent
  const isDone = inodeOf(intent.path) === `${intent.device}:${intent.inode}`
  store.database.transaction(() => {
    if (isDone) apply(store, intent)
    else store.setMeta(intentKey, '')
  })()
}

/** Set when a file being written was replaced or deleted and its writer may not know; else ''. */
export const reopenWanted = (store: LogStore): string => store.meta(reopenKey) ?? ''
export const wantReopen = (store: LogStore): void => store.setMeta(reopenKey, Bun.randomUUIDv7())

/** The writer was signalled in response to this `mark`. */
export function reopened(store: LogStore, mark: string): void {
  if (reopenWanted(store) === mark) store.setMeta(reopenKey, '')
}

const sameId =
  ({ id }: { id: number }) =>
  (other: { id: number }) =>
    other.id === id

const valuesOf = (intent: Intent) => ({
  device: intent.device,
  inode: intent.inode,
  head: new Uint8Array(Buffer.from(intent.head, 'base64')),
  offset: intent.offset,
  lines: intent.lines,
  sizeBytes: intent.sizeBytes,
  modifiedMs: intent.modifiedMs,
})

/**
 * Moves the position. If the file now begins differently, the old beginning keeps its position in a
 * row of its own, so that a copy of the old version (one that a compressor was making, for example)
 * is not counted again. Returns that row.
 */
function apply(store: LogStore, intent: Intent): Member | null {
  const { database } = store
  const values = valuesOf(intent)
  const before = store.members().find(({ id }) => id === intent.memberId)
  if (before === undefined) {
    store.setMeta(intentKey, '')
    return null
  }
  store.saveMember({ ...before, ...values })
  const move = database.query(
    'UPDATE log_skipped SET from_byte = ?, to_byte = ?, lines = ? WHERE id = ?',
  )
  for (const { id, fromByte, toByte, lines } of intent.ranges) move.run(fromByte, toByte, lines, id)
  if (intent.isCurrent) wantReopen(store)
  store.setMeta(intentKey, '')
  if (beginAlike(before.head, values.head)) return null
  const noFile = { device: '', inode: '', lines: 0, error: null, isInsideLongLine: false }
  return store.addMember({ ...before, ...noFile, state: 'gone' })
}

function inodeOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return null
  }
}
