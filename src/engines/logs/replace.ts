import { renameSync, statSync } from 'node:fs'
import type { LogIngest } from './ingest.ts'
import { toItsEnd, type Member } from './member.ts'
import { closeReader, type Source } from './series.ts'
import type { LogStore } from './store.ts'

/** A log file of which somebody made a new version, beside it in the same directory. */
export interface Replacement {
  /** File name in the log directory. */
  name: string
  /** Path of the new version; it is renamed over the file. */
  path: string
  /** First bytes of the new version, decompressed. */
  head: Uint8Array
  /** Where a line that began at `offset` begins now; decompressed bytes. */
  moved(offset: number): number
}

/** What a member becomes; noted before the file is renamed, so that a crash cannot part them. */
interface Intent {
  memberId: number
  path: string
  device: string
  inode: string
  head: string
  offset: number
  ranges: { id: number; fromByte: number; toByte: number }[]
}

const intentKey = 'replacing'

/**
 * Puts the new version in place and moves the position with it: nothing is read again and nothing
 * is passed over. What is still written to the old version is read on until its writer reopens its
 * log. False when the file has no position. Call between two batches; throws what renaming throws.
 */
export function replaceMember(ingest: LogIngest, source: Source, by: Replacement): boolean {
  const { tracker, store } = ingest
  const all = [...source.series.values()]
  const series = all.find(({ readers }) => readers.some(({ file }) => file.name === by.name))
  const reader = series?.readers.find(({ file, isDeleted }) => file.name === by.name && !isDeleted)
  if (series === undefined || reader === undefined) return false
  const { member, file } = reader
  const ranges = tracker.skipped.filter((range) => range.memberId === member.id)
  const { dev, ino } = statSync(by.path)
  const intent: Intent = {
    memberId: member.id,
    path: file.path,
    device: String(dev),
    inode: String(ino),
    head: Buffer.from(by.head).toString('base64'),
    offset: by.moved(member.offset),
    ranges: ranges.map(({ id, fromByte, toByte }) => ({
      id,
      fromByte: by.moved(fromByte),
      toByte: toByte === toItsEnd ? toItsEnd : by.moved(toByte),
    })),
  }
  const old = { ...member, id: noId }
  store.setMeta(intentKey, JSON.stringify(intent))
  renameSync(by.path, file.path)
  Object.assign(member, identityOf(intent), { offset: intent.offset })
  for (const range of ranges) Object.assign(range, { ...intent.ranges.find(sameId(range)) })
  store.database.transaction(() => apply(store, intent))()
  const isOpen = reader.source !== null && file.compression === 'none'
  if (isOpen) series.readers.unshift({ ...reader, member: old, isDeleted: true })
  else closeReader(reader)
  reader.source = null
  reader.exhaustedAt = -1
  reader.file = { ...file, ...fileIdentity(intent) }
  source.nextLookMs = 0
  return true
}

/** Finishes or forgets a replacement that a crash interrupted. Call before members are read. */
export function recoverReplacement(store: LogStore): void {
  const text = store.meta(intentKey)
  if (text === null || text === '') return
  // Written by `replaceMember` only.
  const intent = JSON.parse(text) as Intent
  const isDone = inodeOf(intent.path) === `${intent.device}:${intent.inode}`
  store.database.transaction(() => {
    if (isDone) apply(store, intent)
    else store.setMeta(intentKey, '')
  })()
}

/** A member of this id has no row: what is left in an unlinked file cannot be found again. */
const noId = -1
const sameId =
  ({ id }: { id: number }) =>
  (other: { id: number }) =>
    other.id === id

const fileIdentity = ({ device, inode }: Intent) => ({ device, inode })
const identityOf = (intent: Intent): Pick<Member, 'device' | 'inode' | 'head'> => ({
  ...fileIdentity(intent),
  head: new Uint8Array(Buffer.from(intent.head, 'base64')),
})

function apply(store: LogStore, intent: Intent): void {
  const { database } = store
  const { device, inode, head } = identityOf(intent)
  database
    .query('UPDATE log_member SET device = ?, inode = ?, head = ?, "offset" = ? WHERE id = ?')
    .run(device, inode, head, intent.offset, intent.memberId)
  const move = database.query('UPDATE log_skipped SET from_byte = ?, to_byte = ? WHERE id = ?')
  for (const { id, fromByte, toByte } of intent.ranges) move.run(fromByte, toByte, id)
  store.setMeta(intentKey, '')
}

function inodeOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return null
  }
}
