import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

/** Writers of Battle.net's file formats, after their public descriptions. */

export const md5 = (bytes: Buffer | string) => createHash('md5').update(bytes).digest()
export const hex = (key: Buffer) => key.toString('hex')

const u8 = (value: number) => Buffer.from([value])
export const uint = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

export interface EncodedFile {
  bytes: Buffer
  contentKey: Buffer
  encodedKey: Buffer
}

interface BlteOptions {
  chunkBytes?: number
  isCompressed?: boolean
  /** One chunk without a table. */
  isSimple?: boolean
}

export function encodeBlte(content: Buffer, options: BlteOptions = {}): EncodedFile {
  const { chunkBytes = 64 * 1024, isCompressed = true, isSimple = false } = options
  const pack = (part: Buffer) =>
    isCompressed ? Buffer.concat([u8(0x5a), deflateSync(part)]) : Buffer.concat([u8(0x4e), part])
  const contentKey = md5(content)
  if (isSimple) {
    const bytes = Buffer.concat([Buffer.from('BLTE'), uint(0, 4), pack(content)])
    return { bytes, contentKey, encodedKey: md5(bytes) }
  }
  const parts: Buffer[] = []
  for (let at = 0; at === 0 || at < content.length; at += chunkBytes) {
    parts.push(content.subarray(at, at + chunkBytes))
  }
  const chunks = parts.map(pack)
  const table = chunks.map((chunk, index) =>
    Buffer.concat([uint(chunk.length, 4), uint(parts[index]?.length ?? 0, 4), md5(chunk)]),
  )
  const header = Buffer.concat([
    Buffer.from('BLTE'),
    uint(12 + 24 * chunks.length, 4),
    u8(0x0f),
    uint(chunks.length, 3),
    ...table,
  ])
  return { bytes: Buffer.concat([header, ...chunks]), contentKey, encodedKey: md5(header) }
}

export interface IndexEntry {
  key: Buffer
  bytes: number
  offset: number
}

/** The index of an archive, or with `isLoose` of files outside of archives. */
export function encodeIndex(entries: IndexEntry[], { isLoose = false } = {}): Buffer {
  const blockBytes = 4096
  const entryBytes = isLoose ? 20 : 24
  const perBlock = Math.floor(blockBytes / entryBytes)
  const sorted = entries.toSorted((a, b) => Buffer.compare(a.key, b.key))
  const blocks: Buffer[] = []
  const lastKeys: Buffer[] = []
  for (let at = 0; at < sorted.length; at += perBlock) {
    const block = Buffer.alloc(blockBytes)
    const part = sorted.slice(at, at + perBlock)
    part.forEach(({ key, bytes, offset }, index) => {
      key.copy(block, index * entryBytes)
      block.writeUInt32BE(bytes, index * entryBytes + 16)
      if (!isLoose) block.writeUInt32BE(offset, index * entryBytes + 20)
    })
    blocks.push(block)
    lastKeys.push(part.at(-1)?.key ?? Buffer.alloc(16))
  }
  const checksums = blocks.map((block) => md5(block).subarray(0, 8))
  const contents = Buffer.concat([...lastKeys, ...checksums])
  const count = Buffer.alloc(4)
  count.writeUInt32LE(sorted.length)
  const fields = Buffer.concat([Buffer.from([1, 0, 0, 4, isLoose ? 0 : 4, 4, 16, 8]), count])
  const footer = Buffer.concat([md5(contents).subarray(0, 8), fields, md5(fields).subarray(0, 8)])
  return Buffer.concat([...blocks, contents, footer])
}

export interface EncodedTag {
  name: string
  type: number
  /** Indexes of the files that have it. */
  files: number[]
}

function encodeTags(tags: EncodedTag[], fileCount: number): Buffer {
  return Buffer.concat(
    tags.map(({ name, type, files }) => {
      const mask = Buffer.alloc(Math.ceil(fileCount / 8))
      for (const file of files) mask[file >> 3] = (mask[file >> 3] ?? 0) | (0x80 >> (file & 7))
      return Buffer.concat([Buffer.from(`${name}\0`), uint(type, 2), mask])
    }),
  )
}

/** The content of a download manifest. */
export function encodeDownload(
  files: { key: Buffer; bytes: number }[],
  tags: EncodedTag[],
  version: 1 | 2 | 3 = 1,
): Buffer {
  const head = [Buffer.from('DL'), u8(version), u8(16), u8(1), uint(files.length, 4)]
  head.push(uint(tags.length, 2))
  if (version >= 2) head.push(u8(2))
  if (version === 3) head.push(Buffer.alloc(4))
  const entries = files.map(({ key, bytes }) => {
    const flags = Buffer.alloc(version >= 2 ? 2 : 0)
    return Buffer.concat([key, uint(bytes, 5), u8(1), uint(0, 4), flags])
  })
  return Buffer.concat([...head, ...entries, encodeTags(tags, files.length)])
}

export function encodeInstall(
  files: { path: string; contentKey: Buffer; bytes: number }[],
  tags: EncodedTag[],
): Buffer {
  return Buffer.concat([
    Buffer.from('IN'),
    u8(1),
    u8(16),
    uint(tags.length, 2),
    uint(files.length, 4),
    encodeTags(tags, files.length),
    ...files.map(({ path, contentKey, bytes }) =>
      Buffer.concat([Buffer.from(`${path}\0`), contentKey, uint(bytes, 4)]),
    ),
  ])
}

/** The content of an encoding file: pages of content keys with their encoded key. */
export function encodeEncoding(
  files: { contentKey: Buffer; encodedKey: Buffer; bytes: number }[],
): Buffer {
  const perPage = Math.floor(4096 / (6 + 32))
  const sorted = files.toSorted((a, b) => Buffer.compare(a.contentKey, b.contentKey))
  const pages: Buffer[] = []
  const index: Buffer[] = []
  for (let at = 0; at < sorted.length; at += perPage) {
    const page = Buffer.alloc(4096)
    const part = sorted.slice(at, at + perPage)
    part.forEach(({ contentKey, encodedKey, bytes }, number) => {
      const entry = Buffer.concat([u8(1), uint(bytes, 5), contentKey, encodedKey])
      entry.copy(page, number * entry.length)
    })
    pages.push(page)
    index.push(Buffer.concat([part[0]?.contentKey ?? Buffer.alloc(16), md5(page)]))
  }
  const especs = Buffer.from('z\0n\0')
  const head = [Buffer.from('EN'), u8(1), u8(16), u8(16), uint(4, 2), uint(4, 2)]
  head.push(uint(pages.length, 4), uint(0, 4), u8(0), uint(especs.length, 4))
  return Buffer.concat([...head, especs, ...index, ...pages])
}

export const encodeConfig = (
  kind: 'Build' | 'CDN',
  values: Record<string, (string | number)[]>,
): Buffer =>
  Buffer.from(
    `# ${kind} Configuration\n\n${Object.entries(values)
      .map(([name, list]) => `${name} = ${list.join(' ')}\n`)
      .join('')}`,
  )
