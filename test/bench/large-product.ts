import { createHash } from 'node:crypto'
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createDeflate } from 'node:zlib'
import { daemonProcess } from '../support/daemon-process.ts'
import {
  encodeBlte,
  encodeConfig,
  encodeIndex,
  encodeInstall,
  hex,
  md5,
  uint,
  type IndexEntry,
} from '../support/stand-ins/gamma-encoder.ts'
import { partOf, serveLocally } from '../support/stand-ins/serve-locally.ts'
import { peakOf } from './cache.ts'

/*
 * A product of Battle.net as large as World of Warcraft: as many files, indexes and bytes of
 * manifests. The files themselves are small, so that a run ends within a minute: of ten in a row nine
 * are wanted, and the tenth separates their range from the next one. Everything follows from the
 * number of a file, and nothing but one part of a file is in memory.
 */
const filesPerArchive = 2000
const archiveCount = 1150
const fileCount = filesPerArchive * archiveCount
/** Entries of the encoding file: those of all systems and languages. */
const encodingCount = 2_850_000
const installedCount = 500
const vfsCount = 867
const vfsBytes = 215_000
const batchFiles = 4000
const pageBytes = 4096

const isWanted = (file: number) => file % 10 !== 9
const sizeOf = (file: number) => (isWanted(file) ? 120 : 5000)
const archiveBytes = (filesPerArchive / 10) * (9 * 120 + 5000)

/** Writes the key of a number; another salt makes another kind of key. */
function writeKey(out: Buffer, at: number, number: number, salt: number): void {
  for (let word = 0; word < 4; word++) {
    let mixed = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(salt * 4 + word + 1, 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    out.writeUInt32BE((mixed ^ (mixed >>> 15)) >>> 0, at + 4 * word)
  }
}

const salts = { encoded: 0, content: 1, archive: 2, vfs: 3 }

function keyOf(number: number, salt: number): Buffer {
  const key = Buffer.alloc(16)
  writeKey(key, 0, number, salt)
  return key
}

interface Part {
  isCompressed: boolean
  content: Iterable<Buffer>
}

/** Writes a BLTE file of these chunks; its name is its key. */
async function writeBlte(folder: string, parts: readonly Part[]) {
  const path = join(folder, 'unnamed')
  const file = openSync(path, 'w')
  const table: Buffer[] = []
  let at = 12 + 24 * parts.length
  for (const { isCompressed, content } of parts) {
    const hash = createHash('md5')
    let [bytes, contentBytes] = [0, 0]
    const write = (part: Buffer) => {
      hash.update(part)
      bytes += writeSync(file, part, 0, part.length, at + bytes)
    }
    function* counted() {
      for (const part of content) {
        contentBytes += part.length
        yield part
      }
    }
    write(Buffer.from(isCompressed ? 'Z' : 'N'))
    const encoded = isCompressed
      ? Readable.from(counted()).pipe(createDeflate({ level: 1 }))
      : counted()
    for await (const part of encoded) write(part as Buffer)
    table.push(uint(bytes, 4), uint(contentBytes, 4), hash.digest())
    at += bytes
  }
  const counts = [uint(12 + 24 * parts.length, 4), uint(0x0f, 1), uint(parts.length, 3)]
  const header = Buffer.concat([Buffer.from('BLTE'), ...counts, ...table])
  writeSync(file, header, 0, header.length, 0)
  closeSync(file)
  const key = hex(md5(header))
  renameSync(path, join(folder, key))
  return { key, bytes: at }
}

/** Equal rows, in parts of some thousand. */
function* rows(
  count: number,
  rowBytes: number,
  fill: (out: Buffer, at: number, row: number) => void,
) {
  for (let first = 0; first < count; first += batchFiles) {
    const part = Buffer.alloc(Math.min(batchFiles, count - first) * rowBytes)
    for (let at = 0; at < part.length; at += rowBytes) fill(part, at, first + at / rowBytes)
    yield part
  }
}

function tag(name: string, type: number, has: (file: number) => boolean): Buffer {
  const mask = Buffer.alloc(Math.ceil(fileCount / 8))
  for (let file = 0; file < fileCount; file++) {
    if (has(file)) mask[file >> 3] = (mask[file >> 3] ?? 0) | (0x80 >> (file & 7))
  }
  return Buffer.concat([Buffer.from(`${name}\0`), uint(type, 2), mask])
}

function* downloadTags() {
  yield tag('Windows', 1, () => true)
  yield tag('x86_64', 2, () => true)
  yield tag('enUS', 3, isWanted)
  for (const name of ['deDE', 'frFR', 'koKR', 'zhCN']) yield tag(name, 3, (file) => !isWanted(file))
}

function writeDownload(folder: string) {
  const head = [
    Buffer.from('DL'),
    uint(1, 1),
    uint(16, 1),
    uint(1, 1),
    uint(fileCount, 4),
    uint(7, 2),
  ]
  // Size, priority and checksum behind the key, which do not compress either.
  const entries = rows(fileCount, 26, (out, at, file) => {
    writeKey(out, at + 10, file, salts.content)
    writeKey(out, at, file, salts.encoded)
  })
  return writeBlte(folder, [
    { isCompressed: false, content: head },
    { isCompressed: true, content: entries },
    { isCompressed: true, content: downloadTags() },
  ])
}

function writeEncoding(folder: string) {
  const perPage = 107
  const especPerPage = 163
  const pages = Math.ceil(encodingCount / perPage)
  const especPages = Math.ceil(encodingCount / especPerPage)
  const head = [Buffer.from('EN'), uint(1, 1), uint(16, 1), uint(16, 1), uint(4, 2), uint(4, 2)]
  head.push(uint(pages, 4), uint(especPages, 4), uint(0, 1), uint(4, 4), Buffer.from('z\0n\0'))
  const index = (count: number) => rows(count, 32, () => {})
  const contentPages = rows(pages, pageBytes, (out, at, page) => {
    for (let entry = 0; entry < perPage; entry++) {
      const place = at + entry * 38
      out.writeUInt8(1, place)
      writeKey(out, place + 6, page * perPage + entry, salts.content)
      writeKey(out, place + 22, page * perPage + entry, salts.encoded)
    }
  })
  const keyPages = rows(especPages, pageBytes, (out, at) => out.fill(1, at, at + pageBytes))
  return writeBlte(folder, [
    { isCompressed: true, content: head },
    { isCompressed: false, content: index(pages) },
    { isCompressed: false, content: contentPages },
    { isCompressed: false, content: index(especPages) },
    { isCompressed: false, content: keyPages },
  ])
}

function writeInstall(folder: string) {
  const files = Array.from({ length: installedCount }, (_, index) => ({
    path: `World\\file-${index}.exe`,
    contentKey: keyOf(index * 1000, salts.content),
    bytes: 1000,
  }))
  const all = files.map((_, index) => index)
  const tags = ['Windows', 'enUS'].map((name, index) => ({ name, type: index * 2 + 1, files: all }))
  const { bytes, encodedKey } = encodeBlte(encodeInstall(files, tags))
  writeFileSync(join(folder, hex(encodedKey)), bytes)
  return { key: hex(encodedKey), bytes: bytes.length }
}

function writeIndexes(folder: string): string[] {
  return Array.from({ length: archiveCount }, (_, archive) => {
    let offset = 0
    const entries = Array.from({ length: filesPerArchive }, (__, index): IndexEntry => {
      const file = archive * filesPerArchive + index
      const entry = { key: keyOf(file, salts.encoded), bytes: sizeOf(file), offset }
      offset += entry.bytes
      return entry
    })
    const key = hex(keyOf(archive, salts.archive))
    writeFileSync(join(folder, `${key}.index`), encodeIndex(entries))
    return key
  })
}

function writeConfig(folder: string, ...content: Parameters<typeof encodeConfig>): string {
  const bytes = encodeConfig(...content)
  const key = hex(md5(bytes))
  writeFileSync(join(folder, key), bytes)
  return key
}

async function writeProduct(folder: string) {
  const vfsKeys = Array.from({ length: vfsCount }, (_, index) => hex(keyOf(index, salts.vfs)))
  const manifests = {
    download: await writeDownload(folder),
    encoding: await writeEncoding(folder),
    install: writeInstall(folder),
    ...Object.fromEntries(
      vfsKeys.map((key, index) => [`vfs-${index + 1}`, { key, bytes: vfsBytes }]),
    ),
  }
  const entries = Object.entries(manifests).flatMap(([name, { key, bytes }]) => [
    [name, [key, key]],
    [`${name}-size`, [bytes, bytes]],
  ])
  const build = writeConfig(folder, 'Build', Object.fromEntries(entries))
  const cdn = writeConfig(folder, 'CDN', { archives: writeIndexes(folder) })
  return { build, cdn, vfsKeys: new Set(vfsKeys) }
}

/** Serves a part of a file, as a cache does. */
function answerFile(path: string, range: string | null): Response {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
  const file = Bun.file(path)
  if (first === undefined) return new Response(file)
  const headers = { 'Content-Range': `bytes ${first}-${last}/${file.size}` }
  return new Response(file.slice(Number(first), Number(last) + 1), { status: 206, headers })
}

/** Writes the product into a folder and serves it, and the tables of its version, as a cache would. */
async function serveLargeProduct(folder: string) {
  const { build, cdn, vfsKeys } = await writeProduct(folder)
  const files = new Set(readdirSync(folder))
  const tables: Record<string, string> = {
    '/wow/versions': `BuildConfig!HEX:16|CDNConfig!HEX:16|VersionsName!String:0\n${build}|${cdn}|1\n`,
    '/wow/cdns': 'Path!STRING:0|Hosts!STRING:0\ntpr/wow|level3.blizzard.com\n',
  }
  const { port, url, stop } = serveLocally((request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/lancache-heartbeat') {
      return new Response(null, { status: 204, headers: { 'X-LanCache-Processed-By': 'bench' } })
    }
    const table = tables[pathname]
    if (table !== undefined) return new Response(table)
    const name = pathname.slice(pathname.lastIndexOf('/') + 1)
    const range = request.headers.get('range')
    if (files.has(name)) return answerFile(join(folder, name), range)
    return partOf(vfsKeys.has(name) ? vfsBytes : archiveBytes, range)
  })
  return { port, url, stop }
}

export interface LargeProductTimed {
  seconds: number
  bytes: number
  peakBytes: number
}

/** A run of Battle.net's daemon on a product as large as World of Warcraft. */
export async function timeLargeProduct(root: string): Promise<LargeProductTimed> {
  const [folder, content] = [join(root, 'large'), join(root, 'large-content')]
  for (const path of [folder, content]) mkdirSync(path)
  const { port, url, stop } = await serveLargeProduct(content)
  const environment = { Gamma__VersionsBaseUrl: url, LANCACHE_IP: `127.0.0.1:${port}` }
  const daemon = daemonProcess({ platform: 'gamma', folder, environment })
  try {
    const client = await daemon.connect()
    const startMs = performance.now()
    await client.ask('prefill', { products: '["wow"]' })
    const { updatedApps, totalBytesTransferred: bytes } = await client.ended()
    const seconds = (performance.now() - startMs) / 1000
    if (updatedApps !== 1) throw new Error('the product could not be prefilled')
    return { seconds, bytes, peakBytes: peakOf(daemon.process.pid) }
  } finally {
    daemon.process.kill()
    await stop()
  }
}
