import { readBlte } from './blte.ts'
import { ByteSource } from './byte-source.ts'
import { FormatError } from '../content/format-error.ts'
import { chosenBy, hasBit, readTags } from './tags.ts'

const keyBytes = 16
/** The largest games have some millions. */
const entriesMax = 30_000_000
const pathCharsMax = 4096
/** Entries that are read at once; one by one takes ten times as long. */
const batchEntries = 4096
const pageBytes = 4096

/** Tags of the wanted files, by name. */
export type TagRule = (name: string) => boolean

/** The key at a position, which is valid only during the call. */
type OnKey = (bytes: Buffer, position: number) => void

/** Calls `onKey` with the key of each chosen file; without chosen tags with all of them. */
function eachChosen(keys: Buffer, mask: Buffer | null, onKey: OnKey): void {
  for (let index = 0; index * keyBytes < keys.length; index++) {
    if (mask === null || hasBit(mask, index)) onKey(keys, index * keyBytes)
  }
}

/** Keys are gathered as they come: an announced number of entries takes no memory by itself. */
function keyGatherer() {
  let keys = Buffer.allocUnsafe(64 * keyBytes)
  let filled = 0
  return {
    add(bytes: Buffer, position = 0) {
      if (filled === keys.length) keys = Buffer.concat([keys], 2 * keys.length)
      bytes.copy(keys, filled, position, position + keyBytes)
      filled += keyBytes
    },
    all: () => keys.subarray(0, filled),
  }
}

function requireCount(count: number): number {
  if (count <= entriesMax) return count
  throw new FormatError(`a manifest announces more than ${entriesMax} files`)
}

/** Reads a download manifest: encoded keys of the files that the tags choose. Throws FormatError. */
export function readDownloadManifest(file: Buffer, isChosen: TagRule, onKey: OnKey): void {
  const source = new ByteSource(readBlte(file))
  source.expect('DL')
  const version = source.uint(1)
  const keySize = source.uint(1)
  const hasChecksum = source.uint(1) !== 0
  const entries = requireCount(source.uint(4))
  const tagCount = source.uint(2)
  if (version < 1 || version > 3 || keySize !== keyBytes) {
    throw new FormatError(`a download manifest of version ${version} cannot be read`)
  }
  const flagBytes = version >= 2 ? source.uint(1) : 0
  // Base priority and reserved bytes fill the header up to 16 bytes.
  if (version === 3) source.skip(4)
  const keys = keyGatherer()
  const entryBytes = keyBytes + 5 + 1 + (hasChecksum ? 4 : 0) + flagBytes
  for (let left = entries; left > 0; left -= batchEntries) {
    const rows = source.take(Math.min(left, batchEntries) * entryBytes)
    for (let at = 0; at < rows.length; at += entryBytes) keys.add(rows, at)
  }
  eachChosen(keys.all(), chosenBy(readTags(source, tagCount, entries), isChosen), onKey)
}

/** Reads an install manifest: content keys of the files that the tags choose. Throws FormatError. */
export function readInstallManifest(file: Buffer, isChosen: TagRule, onKey: OnKey): void {
  const source = new ByteSource(readBlte(file))
  source.expect('IN')
  const version = source.uint(1)
  if (version !== 1 || source.uint(1) !== keyBytes) {
    throw new FormatError(`an install manifest of version ${version} cannot be read`)
  }
  const tagCount = source.uint(2)
  const entries = requireCount(source.uint(4))
  const mask = chosenBy(readTags(source, tagCount, entries), isChosen)
  const keys = keyGatherer()
  for (let index = 0; index < entries; index++) {
    source.text(pathCharsMax)
    keys.add(source.take(keyBytes))
    source.skip(4)
  }
  eachChosen(keys.all(), mask, onKey)
}

/**
 * Reads an encoding file: calls `onPair` with the positions of each content key and its first encoded
 * key. Throws FormatError.
 */
export function readEncoding(file: Buffer, onPair: OnPair): void {
  const source = new ByteSource(readBlte(file))
  source.expect('EN')
  const version = source.uint(1)
  const [contentKeyBytes, encodedKeyBytes] = [source.uint(1), source.uint(1)]
  const pageSize = source.uint(2) * 1024
  source.skip(2)
  const pages = source.uint(4)
  source.skip(4 + 1)
  const especBytes = source.uint(4)
  const isKnown = contentKeyBytes === keyBytes && encodedKeyBytes === keyBytes
  if (version !== 1 || !isKnown || pageSize !== pageBytes) {
    throw new FormatError(`an encoding file of version ${version} cannot be read`)
  }
  source.skip(especBytes)
  source.skip(pages * 2 * keyBytes)
  for (let page = 0; page < pages; page++) readPage(source.take(pageBytes), onPair)
}

type OnPair = (bytes: Buffer, contentKeyAt: number, encodedKeyAt: number) => void

/** Entries of one page: number of encoded keys, size, content key, encoded keys. */
function readPage(page: Buffer, onPair: OnPair): void {
  for (let at = 0; at + 6 + keyBytes <= page.length;) {
    const count = page[at] ?? 0
    const end = at + 6 + keyBytes * (1 + count)
    if (count === 0 || end > page.length) return
    onPair(page, at + 6, at + 6 + keyBytes)
    at = end
  }
}
