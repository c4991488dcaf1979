import type { ByteSource } from './byte-source.ts'
import { FormatError } from '../content/format-error.ts'
import { KeySet } from './key-set.ts'
import { hasBit, readChosen } from './tags.ts'

const keyBytes = 16
/** The largest games have some millions. */
const entriesMax = 30_000_000
const pathBytesMax = 4096
/** Entries that are read at once; one by one takes ten times as long. */
const batchEntries = 4096
const pageBytes = 4096

/** Tags of the wanted files, by name. */
export type TagRule = (name: string) => boolean

function requireCount(count: number): number {
  if (count <= entriesMax) return count
  throw new FormatError(`a manifest announces more than ${entriesMax} files`)
}

/**
 * Reads a download manifest: encoded keys of the files that the tags choose; without a chosen tag of
 * all files. Rejects with FormatError.
 */
export async function readDownloadManifest(source: ByteSource, isChosen: TagRule): Promise<KeySet> {
  await source.expect('DL')
  const version = await source.uint(1)
  const keySize = await source.uint(1)
  const hasChecksum = (await source.uint(1)) !== 0
  const entries = requireCount(await source.uint(4))
  const tags = await source.uint(2)
  if (version < 1 || version > 3 || keySize !== keyBytes) {
    throw new FormatError(`a download manifest of version ${version} cannot be read`)
  }
  const flagBytes = version >= 2 ? await source.uint(1) : 0
  // Base priority and reserved bytes fill the header up to 16 bytes.
  if (version === 3) await source.skip(4)
  const keys = new KeySet()
  const entryBytes = keyBytes + 5 + 1 + (hasChecksum ? 4 : 0) + flagBytes
  for (let left = entries; left > 0; left -= batchEntries) {
    const rows = await source.take(Math.min(left, batchEntries) * entryBytes)
    for (let at = 0; at < rows.length; at += entryBytes) keys.add(rows, at)
  }
  const mask = await readChosen(source, { tags, entries }, isChosen)
  if (mask !== null) keys.keep((index) => hasBit(mask, index))
  return keys
}

/** Reads an install manifest: content keys of the files that the tags choose. Rejects with FormatError. */
export async function readInstallManifest(source: ByteSource, isChosen: TagRule): Promise<KeySet> {
  await source.expect('IN')
  const version = await source.uint(1)
  if (version !== 1 || (await source.uint(1)) !== keyBytes) {
    throw new FormatError(`an install manifest of version ${version} cannot be read`)
  }
  const tags = await source.uint(2)
  const entries = requireCount(await source.uint(4))
  const mask = await readChosen(source, { tags, entries }, isChosen)
  const keys = new KeySet()
  for (let index = 0; index < entries; index++) {
    await source.text(pathBytesMax)
    const entry = await source.take(keyBytes + 4)
    if (mask === null || hasBit(mask, index)) keys.add(entry)
  }
  return keys
}

/** Reads an encoding file: the encoded keys of these content keys. Rejects with FormatError. */
export async function readEncoding(source: ByteSource, contentKeys: KeySet): Promise<KeySet> {
  await source.expect('EN')
  const version = await source.uint(1)
  const [contentKeyBytes, encodedKeyBytes] = await source.take(2)
  const pageSize = (await source.uint(2)) * 1024
  await source.skip(2)
  const pages = await source.uint(4)
  await source.skip(4 + 1)
  const especBytes = await source.uint(4)
  const isKnown = contentKeyBytes === keyBytes && encodedKeyBytes === keyBytes
  if (version !== 1 || !isKnown || pageSize !== pageBytes) {
    throw new FormatError(`an encoding file of version ${version} cannot be read`)
  }
  await source.skip(especBytes)
  await source.skip(pages * 2 * keyBytes)
  const encodedKeys = new KeySet()
  for (let page = 0; page < pages; page++) {
    readPage(await source.take(pageBytes), contentKeys, encodedKeys)
  }
  return encodedKeys
}

/** Entries of one page: number of encoded keys, size, content key, encoded keys. */
function readPage(page: Buffer, contentKeys: KeySet, encodedKeys: KeySet): void {
  for (let at = 0; at + 6 + keyBytes <= page.length;) {
    const count = page[at] ?? 0
    const end = at + 6 + keyBytes * (1 + count)
    if (count === 0 || end > page.length) return
    if (contentKeys.has(page, at + 6)) encodedKeys.add(page, at + 6 + keyBytes)
    at = end
  }
}
