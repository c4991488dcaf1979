import { latin1 } from '../../titles/bytes.ts'
import { headBytes } from './byte-source.ts'
import type { LogFile } from './discovery.ts'
import type { Member } from './member.ts'

export interface SeenFile {
  file: LogFile
  head: Uint8Array
}

/** What a file on disk is: a known member, a copy of one, a new one, or too short to decide. */
export type Binding =
  | { kind: 'member'; member: Member }
  | { kind: 'alias'; member: Member }
  | { kind: 'new'; member: Member }
  | { kind: 'wait' }

const lineFeed = 10

/** Whether both begin alike, up to the length of the shorter one. */
export function beginAlike(a: Uint8Array, b: Uint8Array): boolean {
  const length = Math.min(a.length, b.length)
  return length > 0 && Buffer.compare(a.subarray(0, length), b.subarray(0, length)) === 0
}

const isIdentifying = (head: Uint8Array) => head.length >= headBytes || head.includes(lineFeed)

/** Bytes by which members are looked up; the first line of a log is longer. */
const keyBytes = 100

/** Members of one series, newest first, indexed because there may be thousands. */
class KnownMembers {
  readonly #byPlace = new Map<string, Member[]>()
  readonly #byBeginning = new Map<string, Member[]>()
  /** Too short for a key. */
  readonly #short: Member[] = []
  readonly #all: Member[] = []

  constructor(members: Member[]) {
    for (const member of members) this.add(member)
  }

  add(member: Member): void {
    this.#all.push(member)
    this.#byPlace.getOrInsertComputed(placeOf(member), () => []).push(member)
    if (member.head.length < keyBytes) this.#short.push(member)
    else this.#byBeginning.getOrInsertComputed(beginningOf(member.head), () => []).push(member)
  }

  /** Members last seen as this file on disk. */
  at(file: { device: string; inode: string }): Member[] {
    return this.#byPlace.get(placeOf(file))?.toReversed() ?? []
  }

  alike(head: Uint8Array): Member[] {
    const isShort = head.length < keyBytes
    const candidates = isShort
      ? this.#all
      : [...(this.#byBeginning.get(beginningOf(head)) ?? []), ...this.#short]
    return candidates.filter((other) => beginAlike(other.head, head)).sort((a, b) => b.id - a.id)
  }
}

const placeOf = ({ device, inode }: { device: string; inode: string }) => `${device}:${inode}`
const beginningOf = (head: Uint8Array) => latin1(head, 0, keyBytes)

/**
 * Decides which file has which position. `seen` is one series, oldest first. A file keeps its
 * position by inode and beginning; a copy inherits it only once the original is gone or begins
 * differently, so the same bytes are never read twice.
 */
export function bindSeries(
  seen: SeenFile[],
  members: Member[],
  create: (seen: SeenFile) => Member,
): Map<SeenFile, Binding> {
  const bindings = new Map<SeenFile, Binding>()
  const taken = new Set<Member>()
  const known = new KnownMembers(members)
  for (const one of seen) {
    const member = known
      .at(one.file)
      .find((other) => !taken.has(other) && beginAlike(other.head, one.head))
    if (member === undefined || lostToCopy(one, member, seen)) continue
    taken.add(member)
    bindings.set(one, { kind: 'member', member })
  }
  for (const one of seen.toReversed()) {
    if (bindings.has(one)) continue
    if (!isIdentifying(one.head)) {
      bindings.set(one, { kind: 'wait' })
      continue
    }
    const alike = known.alike(one.head)
    // Two begin alike when the lines in which they differed were removed: one of them is free.
    const member = alike.find((other) => !taken.has(other)) ?? alike[0]
    if (member === undefined) {
      const created = create(one)
      known.add(created)
      taken.add(created)
      bindings.set(one, { kind: 'new', member: created })
    } else if (taken.has(member)) bindings.set(one, { kind: 'alias', member })
    else {
      taken.add(member)
      bindings.set(one, { kind: 'member', member })
    }
  }
  return bindings
}

/** The original shrank while a longer copy of it exists: reading continues in the copy. */
function lostToCopy(one: SeenFile, member: Member, seen: SeenFile[]): boolean {
  const { file, head } = one
  if (file.compression !== 'none' || file.size >= member.offset) return false
  return seen.some(
    (other) => other !== one && other.file.size > file.size && beginAlike(other.head, head),
  )
}

/**
 * The members of the datasource whose files these are, among those of datasources that are
 * configured no longer: it got another name, or another one has its folder.
 */
export function renamed(orphans: readonly Member[], seen: readonly SeenFile[]): Member[] {
  const isSame = (member: Member, { file, head }: SeenFile) =>
    beginAlike(member.head, head) &&
    (placeOf(member) === placeOf(file) || Math.min(member.head.length, head.length) >= headBytes)
  const known = orphans.find((member) => seen.some((one) => isSame(member, one)))
  return orphans.filter(({ datasource }) => datasource === known?.datasource)
}
