import {
  encodeBlte,
  encodeConfig,
  encodeDownload,
  encodeEncoding,
  encodeIndex,
  encodeInstall,
  hex,
  md5,
  type EncodedFile,
  type EncodedTag,
  type IndexEntry,
} from './gamma-encoder.ts'
import { seededRandom } from '../../../src/demo/random.ts'
import { serveLocally, type Answer } from './serve-locally.ts'

/** `wanted`: English on Windows; `other`: another language; `loose`: wanted, in no archive. */
type FileKind = 'wanted' | 'other' | 'loose' | 'installed'

/** A file of the game; another seed is another content. */
export interface GameFile {
  seed: number
  bytes: number
  kind: FileKind
}

interface ByteRange {
  first: number
  last: number
}

const archiveFilesMax = 60
/** Nearer ranges of one file are one request. */
const gapBytes = 4096

/** Game files of all kinds and sizes. */
export function gameFiles(count: number, seed = 1): GameFile[] {
  const random = seededRandom(seed)
  return Array.from({ length: count }, (_, index) => ({
    seed: seed * 100_000 + index,
    bytes: random.between(200, 60_000),
    kind: random.pick([
      'wanted',
      'wanted',
      'other',
      'other',
      'other',
      'loose',
      'installed',
    ] as const),
  }))
}

function contentOf({ seed, bytes }: GameFile): Buffer {
  const random = seededRandom(seed)
  return Buffer.from(Uint8Array.from({ length: bytes }, () => random.between(0, 255)))
}

const pathIn =
  (folder: string) =>
  (kind: string, key: string, suffix = '') =>
    `/${folder}/${kind}/${key.slice(0, 2)}/${key.slice(2, 4)}/${key}${suffix}`

function merged(ranges: ByteRange[]): ByteRange[] {
  const result: ByteRange[] = []
  for (const range of ranges.toSorted((a, b) => a.first - b.first)) {
    const last = result.at(-1)
    if (last === undefined || range.first > last.last + 1 + gapBytes) result.push({ ...range })
    else last.last = Math.max(last.last, range.last)
  }
  return result
}

/** Stored content of a product, which grows with each version. */
function contentStore(pathOf: ReturnType<typeof pathIn>) {
  const files = new Map<string, Buffer>()
  const encoded = new Map<number, EncodedFile>()
  const archives: { key: string; entries: IndexEntry[] }[] = []
  const located = new Map<string, { path: string; range: ByteRange }>()
  const loose = new Map<string, IndexEntry>()

  function put(kind: string, key: string, bytes: Buffer, suffix = ''): string {
    const path = pathOf(kind, key, suffix)
    files.set(path, bytes)
    return path
  }

  function pack(group: EncodedFile[]): void {
    const key = hex(md5(Buffer.concat(group.map(({ bytes }) => bytes))))
    const path = pathOf('data', key)
    let offset = 0
    const entries = group.map(({ encodedKey, bytes }) => {
      const range = { first: offset, last: offset + bytes.length - 1 }
      located.set(hex(encodedKey), { path, range })
      offset += bytes.length
      return { key: encodedKey, bytes: bytes.length, offset: range.first }
    })
    put('data', key, Buffer.concat(group.map(({ bytes }) => bytes)))
    put('data', key, encodeIndex(entries), '.index')
    archives.push({ key, entries })
  }

  return {
    pathOf,
    files,
    archives,
    located,
    loose,
    put,
    /** Encoded game files; new ones go into new archives. */
    add(list: GameFile[]): EncodedFile[] {
      const fresh: EncodedFile[] = []
      const all = list.map((file) => {
        const known = encoded.get(file.seed)
        if (known !== undefined) return known
        const made = encodeBlte(contentOf(file), { isCompressed: file.seed % 2 === 0 })
        encoded.set(file.seed, made)
        if (file.kind === 'loose') {
          const key = hex(made.encodedKey)
          const path = put('data', key, made.bytes)
          located.set(key, { path, range: { first: 0, last: made.bytes.length - 1 } })
          loose.set(key, { key: made.encodedKey, bytes: made.bytes.length, offset: 0 })
        } else fresh.push(made)
        return made
      })
      for (let at = 0; at < fresh.length; at += archiveFilesMax) {
        pack(fresh.slice(at, at + archiveFilesMax))
      }
      return all
    },
  }
}

const indexes = (list: GameFile[], isIn: (kind: FileKind) => boolean) =>
  list.flatMap(({ kind }, index) => (isIn(kind) ? [index] : []))

/** Tags of the download manifest, by type: system, language, region, architecture. */
const downloadTags = (list: GameFile[]): EncodedTag[] => [
  { name: 'Windows', type: 1, files: indexes(list, () => true) },
  { name: 'OSX', type: 1, files: indexes(list, (kind) => kind === 'other') },
  { name: 'enUS', type: 3, files: indexes(list, (kind) => kind === 'wanted' || kind === 'loose') },
  {
    name: 'deDE',
    type: 3,
    files: indexes(list, (kind) => kind === 'other' || kind === 'installed'),
  },
  { name: 'noigr', type: 4, files: indexes(list, () => true) },
  { name: 'x86_64', type: 2, files: indexes(list, () => true) },
]

type ContentStore = ReturnType<typeof contentStore>

/** What a client requests: path to ranges; null: all of the file. */
type Expected = Map<string, ByteRange[] | null>

/** Writes the files of one version, and notes what its client requests. */
function versionWriter({ put }: ContentStore) {
  const expected: Expected = new Map()

  function expectRange(path: string, range: ByteRange): void {
    expected.set(path, merged([...(expected.get(path) ?? []), range]))
  }

  /** A manifest as a file of its own, requested whole; returns its two keys. */
  function putManifest(content: Buffer): { keys: string[]; bytes: number } {
    const made = encodeBlte(content)
    expected.set(put('data', hex(made.encodedKey), made.bytes), null)
    return { keys: [hex(made.contentKey), hex(made.encodedKey)], bytes: made.bytes.length }
  }

  /** A file that no client requests; returns its key. */
  function putUnused(kind: string, text: string): string {
    const bytes = Buffer.from(text)
    put(kind, hex(md5(bytes)), bytes)
    return hex(md5(bytes))
  }

  function putWhole(kind: string, bytes: Buffer, suffix = ''): string {
    const key = hex(md5(bytes))
    expected.set(put(kind, key, bytes, suffix), null)
    return key
  }

  return { expected, expectRange, putManifest, putUnused, putWhole }
}

type VersionWriter = ReturnType<typeof versionWriter>

interface Version {
  name: string
  list: GameFile[]
  encodedFiles: EncodedFile[]
  /** Files of other builds, which only the encoding file lists. */
  otherFiles: number
}

function buildConfig(
  writer: VersionWriter,
  { list, encodedFiles, name, otherFiles }: Version,
): string {
  const { putManifest, putUnused, putWhole } = writer
  const sized = encodedFiles.map(({ encodedKey, bytes }) => ({
    key: encodedKey,
    bytes: bytes.length,
  }))
  const download = putManifest(encodeDownload(sized, downloadTags(list)))
  const installed = indexes(list, (kind) => kind === 'installed')
  const all = installed.map((_, index) => index)
  const installEntries = installed.map((index) => ({
    path: `Game\\file-${index}.dll`,
    contentKey: encodedFiles[index]?.contentKey ?? Buffer.alloc(16),
    bytes: list[index]?.bytes ?? 0,
  }))
  const install = putManifest(
    encodeInstall(installEntries, [
      { name: 'Windows', type: 1, files: all },
      { name: 'enUS', type: 3, files: all },
      { name: 'deDE', type: 3, files: [] },
    ]),
  )
  const others = Array.from({ length: otherFiles }, (_, index) => {
    const [contentKey, encodedKey] = [md5(`content ${index}`), md5(`encoded ${index}`)]
    return { contentKey, encodedKey, bytes: 1 }
  })
  const own = encodedFiles.map((file) => ({ ...file, bytes: file.bytes.length }))
  const encoding = putManifest(encodeEncoding([...own, ...others]))
  const size = putManifest(Buffer.from(`size of ${name}`))
  const root = putManifest(Buffer.from(`root of ${name}`))
  const vfs = [1, 2, 3].map((part) => putManifest(Buffer.from(`vfs ${part} of ${name}`)))
  // The last one is listed a second time; a loose file of the game is among them, too.
  const loose = encodedFiles.filter((_, index) => list[index]?.kind === 'loose').slice(0, 1)
  const ofGame = loose.map(({ contentKey, encodedKey, bytes }) => ({
    keys: [hex(contentKey), hex(encodedKey)],
    bytes: bytes.length,
  }))
  const parts = [...ofGame, ...vfs, ...vfs.slice(-1)]
  return putWhole(
    'config',
    encodeConfig('Build', {
      root: [hex(md5(name))],
      install: install.keys,
      'install-size': [1, install.bytes],
      download: download.keys,
      'download-size': [1, download.bytes],
      size: size.keys,
      'size-size': [1, size.bytes],
      encoding: encoding.keys,
      'encoding-size': [1, encoding.bytes],
      'vfs-root': root.keys,
      'vfs-root-size': [1, root.bytes],
      ...Object.fromEntries(
        parts.flatMap(({ keys, bytes }, index) => [
          [`vfs-${index + 1}`, keys],
          [`vfs-${index + 1}-size`, [1, bytes]],
        ]),
      ),
      patch: [putUnused('patch', `patch of ${name}`)],
      'patch-config': [putUnused('config', `# Patch Configuration\n\nname = ${name}\n`)],
      'build-name': [name],
    }),
  )
}

function cdnConfig({ expected, putWhole }: VersionWriter, store: ContentStore): string {
  for (const { key } of store.archives) expected.set(store.pathOf('data', key, '.index'), null)
  const fileIndex = putWhole(
    'data',
    encodeIndex([...store.loose.values()], { isLoose: true }),
    '.index',
  )
  const patchArchive = putWhole('patch', encodeIndex([]), '.index')
  return putWhole(
    'config',
    encodeConfig('CDN', {
      archives: store.archives.map(({ key }) => key),
      'file-index': [fileIndex],
      'patch-archives': [patchArchive],
      'patch-file-index': [putWhole('patch', Buffer.from('no index'), '.index')],
    }),
  )
}

/** Tables of the patch server, for a version with these configs. */
const tablesOf = (
  folder: string,
  { keys, name, productConfig }: { keys: string[]; name: string; productConfig: string },
) => ({
  versions:
    'Region!STRING:0|BuildConfig!HEX:16|CDNConfig!HEX:16|KEYRING!HEX:16|BuildId!DEC:4|' +
    'VersionsName!String:0|ProductConfig!HEX:16\n## seqn = 1\n' +
    `us|${keys.join('|')}|1|${name}|${productConfig}\n`,
  cdns:
    'Name!STRING:0|Path!STRING:0|Hosts!STRING:0|ConfigPath!STRING:0\n## seqn = 1\n' +
    `us|${folder}|blizzard.example.test level3.blizzard.com|tpr/configs/data\n`,
})

function answerOf(bytes: Buffer | undefined, path: string, range: string): Response {
  if (bytes === undefined) return new Response('no such file', { status: 404 })
  const headers = {
    ETag: `"${path.slice(-12)}"`,
    'Last-Modified': 'Fri, 20 Nov 2026 20:00:00 GMT',
  }
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
  if (first === undefined) return new Response(new Uint8Array(bytes), { headers })
  const [from, to] = [Number(first), Math.min(Number(last), bytes.length - 1)]
  const contentRange = { 'Content-Range': `bytes ${from}-${to}/${bytes.length}` }
  if (from > to) return new Response(null, { status: 416 })
  const part = new Uint8Array(bytes.subarray(from, to + 1))
  return new Response(part, { status: 206, headers: { ...headers, ...contentRange } })
}

/** Slices of the proxy, `<path> <first>-<last>`. */
function slicesOf(expected: Expected, files: ReadonlyMap<string, Buffer>, sliceBytes: number) {
  const slices = new Set<string>()
  for (const [path, ranges] of expected) {
    const end = (files.get(path)?.length ?? 0) - 1
    for (const { first, last } of ranges ?? [{ first: 0, last: end }]) {
      const to = Math.min(last, end)
      for (let at = Math.floor(first / sliceBytes); at * sliceBytes <= to; at++) {
        slices.add(`${path} bytes=${at * sliceBytes}-${(at + 1) * sliceBytes - 1}`)
      }
    }
  }
  return slices
}

/** A stand-in for the version and content services of one product of Battle.net. */
export function gammaStandIn(product = 'd3', folder = 'tpr/practice') {
  const store = contentStore(pathIn(folder))
  const { files, located } = store
  let expected: Expected = new Map()
  let tables = { versions: '', cdns: '' }
  const requests: { path: string; range: string; host: string }[] = []
  /** Answers a request instead of the usual answer; undefined: as usual. */
  let intercept: (request: Request) => Answer | undefined = () => undefined

  const { port, url, stop } = serveLocally((request) => {
    const { pathname } = new URL(request.url)
    if (pathname === `/${product}/versions`) return new Response(tables.versions)
    if (pathname === `/${product}/cdns`) return new Response(tables.cdns)
    const range = request.headers.get('range') ?? ''
    const host = request.headers.get('host') ?? ''
    requests.push({ path: pathname, range, host })
    return intercept(request) ?? answerOf(files.get(pathname), pathname, range)
  })

  return {
    port,
    patchBaseUrl: url,
    /** Requests for content. */
    requests,
    requestCount: () => requests.length,
    intercept: (other: typeof intercept) => void (intercept = other),
    /** Bytes of a file; undefined: there is none. */
    file: (path: string) => files.get(path),
    /** Publishes a version that consists of these files. */
    publish(name: string, list: GameFile[], { otherFiles = 0 } = {}): void {
      const writer = versionWriter(store)
      expected = writer.expected
      const encodedFiles = store.add(list)
      list.forEach(({ kind }, index) => {
        if (kind === 'other') return
        const place = located.get(hex(encodedFiles[index]?.encodedKey ?? Buffer.alloc(16)))
        if (place !== undefined) writer.expectRange(place.path, place.range)
      })
      const keyRing = writer.putWhole('config', Buffer.from(`key ring of ${name}`))
      const build = buildConfig(writer, { list, encodedFiles, name, otherFiles })
      const configuration = Buffer.from(JSON.stringify({ all: { config: { product } } }))
      const productConfig = hex(md5(configuration))
      const path = pathIn('tpr/configs')('data', productConfig)
      files.set(path, configuration)
      expected.set(path, null)
      tables = tablesOf(folder, {
        keys: [build, cdnConfig(writer, store), keyRing],
        name,
        productConfig,
      })
    },
    /** Path of the current version's encoding file. */
    encodingPath(): string {
      const [build = ''] = /[0-9a-f]{32}/.exec(tables.versions) ?? []
      const config = files.get(store.pathOf('config', build))?.toString() ?? ''
      const [, key = ''] = /^encoding = \S+ (\S+)$/m.exec(config) ?? []
      return store.pathOf('data', key)
    },
    /** What the client of the current version requests. */
    expected: () => expected,
    /** The same as slices of the proxy, `<path> <first>-<last>`. */
    expectedSlices: (sliceBytes: number) => slicesOf(expected, files, sliceBytes),
    stop,
  }
}
