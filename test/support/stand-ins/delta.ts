import { zstdCompressSync } from 'node:zlib'
import { partOf, serveLocally, type Answer } from './serve-locally.ts'

/** A field of a FlatBuffers table: a number, or what is written behind the table and pointed to. */
type Field =
  | { bytes: 1 | 4; value: number }
  | { bytes: 8; value: bigint }
  | { write: (out: Output) => number }
  /** Written once, behind everything else, for all fields that name it. */
  | { shared: (out: Output) => number }
  | null

/** Bytes that grow; offsets are filled in when their targets are written. */
class Output {
  bytes: Buffer = Buffer.alloc(4)
  readonly #shared = new Map<(out: Output) => number, number[]>()

  append(part: Buffer): number {
    const at = this.bytes.length
    this.bytes = Buffer.concat([this.bytes, part])
    return at
  }

  share(at: number, write: (out: Output) => number): void {
    this.#shared.set(write, [...(this.#shared.get(write) ?? []), at])
  }

  writeShared(): void {
    for (const [write, places] of this.#shared) {
      const target = write(this)
      for (const at of places) this.bytes.writeUInt32LE(target - at, at)
    }
  }

  /** Writes a target, and its offset to where the offset stands. */
  point(at: number, write: (out: Output) => number): void {
    const target = write(this)
    this.bytes.writeUInt32LE(target - at, at)
  }
}

const u8 = (value: number): Field => ({ bytes: 1, value })
const u32 = (value: number): Field => ({ bytes: 4, value })
const u64 = (value: bigint): Field => ({ bytes: 8, value })

function writeTable(out: Output, fields: Field[]): number {
  const sizes = fields.map((field) => (field === null ? 0 : 'bytes' in field ? field.bytes : 4))
  const layout = Buffer.alloc(4 + 2 * fields.length)
  const tableBytes = 4 + sizes.reduce((sum: number, bytes) => sum + bytes, 0)
  layout.writeUInt16LE(layout.length)
  layout.writeUInt16LE(tableBytes, 2)
  const table = Buffer.alloc(tableBytes)
  const places: number[] = []
  let at = 4
  sizes.forEach((bytes, slot) => {
    places.push(at)
    if (bytes > 0) layout.writeUInt16LE(at, 4 + 2 * slot)
    at += bytes
  })
  const layoutAt = out.append(layout)
  table.writeInt32LE(layout.length)
  const tableAt = out.append(table)
  if (tableAt - layoutAt !== layout.length) throw new Error('the layout must precede the table')
  fields.forEach((field, slot) => {
    const place = tableAt + (places[slot] ?? 0)
    if (field === null) return
    if ('write' in field) out.point(place, field.write)
    else if ('shared' in field) out.share(place, field.shared)
    else if (field.bytes === 8) out.bytes.writeBigUInt64LE(field.value, place)
    else out.bytes.writeUIntLE(field.value, place, field.bytes)
  })
  return tableAt
}

const text = (value: string): Field => ({
  write(out) {
    const count = Buffer.alloc(4)
    count.writeUInt32LE(Buffer.byteLength(value))
    return out.append(Buffer.concat([count, Buffer.from(`${value}\0`)]))
  },
})

const ids = (values: bigint[]): Field => ({
  write(out) {
    const vector = Buffer.alloc(4 + 8 * values.length)
    vector.writeUInt32LE(values.length)
    values.forEach((value, index) => vector.writeBigUInt64LE(value, 4 + 8 * index))
    return out.append(vector)
  },
})

const tables = (list: Field[][]): Field => ({
  write(out) {
    const vector = Buffer.alloc(4 + 4 * list.length)
    vector.writeUInt32LE(list.length)
    const at = out.append(vector)
    list.forEach((fields, index) => out.point(at + 4 + 4 * index, (it) => writeTable(it, fields)))
    return at
  },
})

export interface DeltaRelease {
  languages: { id: number; name: string }[]
  bundles: { id: bigint; chunks: { id: bigint; bytes: number }[] }[]
  files: { flags?: bigint; chunks: bigint[] }[]
}

/** A manifest after its public description. */
export function encodeManifest(
  { languages, bundles, files }: DeltaRelease,
  { sharesChunks = false } = {},
): Buffer {
  const out = new Output()
  const chunksOf = ({ chunks }: DeltaRelease['bundles'][number]) =>
    tables(chunks.map((chunk) => [u64(chunk.id), u32(chunk.bytes), u32(chunk.bytes * 2)]))
  const first = bundles[0] && chunksOf(bundles[0])
  const shared: Field = first && 'write' in first ? { shared: first.write } : null
  out.point(0, (it) =>
    writeTable(it, [
      tables(bundles.map((bundle) => [u64(bundle.id), sharesChunks ? shared : chunksOf(bundle)])),
      tables(languages.map(({ id, name }) => [u8(id), text(name)])),
      tables(
        files.map(({ flags, chunks }, index) => [
          u64(BigInt(index)),
          null,
          u32(1),
          text(`file-${index}`),
          flags === undefined ? null : u64(flags),
          null,
          null,
          ids(chunks),
        ]),
      ),
    ]),
  )
  out.writeShared()
  const compressed = zstdCompressSync(out.bytes)
  const head = Buffer.alloc(28)
  head.write('RMAN')
  head.writeUInt8(2, 4)
  head.writeUInt32LE(head.length, 8)
  head.writeUInt32LE(compressed.length, 12)
  head.writeUInt32LE(out.bytes.length, 24)
  return Buffer.concat([head, compressed, Buffer.alloc(256)])
}

/** English, German, and files of every language, in four bundles. */
export const practiceRelease = (): DeltaRelease => ({
  languages: [
    { id: 1, name: 'en_US' },
    { id: 2, name: 'de_DE' },
  ],
  bundles: [1n, 2n, 3n, 0xabcdef0123456789n].map((id) => ({
    id,
    chunks: [1n, 2n, 3n].map((chunk) => ({
      id: (id * 10n + chunk) & 0xffffffffffffffffn,
      bytes: 70_000,
    })),
  })),
  files: [
    { chunks: [11n, 12n] },
    { flags: 1n, chunks: [21n] },
    // German only, or both.
    { flags: 2n, chunks: [31n, 32n] },
    { flags: 3n, chunks: [(0xabcdef0123456789n * 10n + 1n) & 0xffffffffffffffffn] },
  ],
})

/** The game behind a launcher of `practiceRelease`: one bundle of both, two of its own, one in German. */
export const gameRelease = (): DeltaRelease => {
  const { languages, bundles } = practiceRelease()
  const own = [0x21n, 0x22n, 0x23n].map((id) => ({
    id,
    chunks: [{ id: id * 10n, bytes: 210_000 }],
  }))
  return {
    languages,
    bundles: [...bundles.slice(0, 1), ...own],
    files: [
      { chunks: [11n, 0x21n * 10n] },
      { flags: 1n, chunks: [0x22n * 10n] },
      { flags: 2n, chunks: [0x23n * 10n] },
    ],
  }
}

const hexOf = (id: bigint) => id.toString(16).toUpperCase().padStart(16, '0')

/** Paths of bundles, with their sizes. */
const bundlesOf = ({ bundles }: DeltaRelease) =>
  bundles.map(({ id, chunks }): [path: string, bytes: number] => [
    `/channels/public/bundles/${hexOf(id)}.bundle`,
    chunks.reduce((sum, chunk) => sum + chunk.bytes, 0),
  ])

const sieve = {
  version_set: 'NA1',
  parameters: { artifact_type_id: 'lol-game-client', platform: 'windows' },
}

/** Releases of a version set as the sieve service lists them, only the last of which is meant. */
const versionSet = (url: (name: string) => string, game: string) => ({
  releases: [
    { type: 'lol-game-client', platform: 'windows', version: '15.9.1+branch', name: 'older' },
    { type: 'lol-game-client', platform: 'macos', version: '15.20.1', name: 'macos' },
    {
      type: 'lol-standalone-client-content',
      platform: 'windows',
      version: '16.1',
      name: 'content',
    },
    { type: 'lol-game-client', platform: 'windows', version: '15.10.1+branch', name: game },
  ].map(({ type, platform, version, name }) => ({
    release: {
      labels: {
        'riot:artifact_type_id': { values: [type] },
        'riot:artifact_version_id': { values: [version] },
        platform: { values: [platform] },
      },
    },
    download: { url: url(name), scd_required: true },
  })),
})

/** A stand-in for the version services and the content service of Riot Games. */
export function deltaStandIn(product = 'valorant') {
  let version = ''
  /** Of the game that a launcher starts; null: the product has none. */
  let game: string | null = null
  const manifests = new Map<string, Buffer>()
  const bundles = new Map<string, number>()
  const requests: { path: string; host: string }[] = []
  /** Answers a request instead of the usual answer; undefined: as usual. */
  let intercept: (request: Request) => Answer | undefined = () => undefined

  function linesOf(origin: string) {
    const artifacts = [
      { id: 'league_client', type: 'patch_url' },
      { id: 'game_client', type: 'patchsieve', patchsieve: sieve },
    ]
    const configurations = ['eu', 'na'].map((id) => ({
      id,
      patch_url: `${origin}/${id}/${version}.manifest`,
      ...(game !== null && {
        patch_artifacts: artifacts,
        secondary_patchlines: [{ id: 'game_patch', url: `${origin}/game/stale.manifest` }],
      }),
    }))
    return {
      [`keystone.products.${product}.patchlines.live`]: { platforms: { win: { configurations } } },
    }
  }

  const { port, url, stop } = serveLocally((request) => {
    const answer = intercept(request)
    if (answer !== undefined) return answer
    const { pathname, searchParams, origin } = new URL(request.url)
    if (pathname === '/api/v1/config/public') {
      const isAsked = searchParams.get('namespace') === `keystone.products.${product}.patchlines`
      return Response.json(isAsked ? linesOf(origin) : {})
    }
    if (pathname === `/api/v1/products/lol/version-sets/${sieve.version_set}`) {
      const isAsked = searchParams.get('q[platform]') === 'windows'
      const manifestUrl = (name: string) => `${origin}/game/${name}.manifest`
      return Response.json(
        isAsked && game !== null ? versionSet(manifestUrl, game) : { releases: [] },
      )
    }
    const manifest = manifests.get(pathname)
    if (manifest !== undefined) return new Response(new Uint8Array(manifest))
    requests.push({ path: pathname, host: request.headers.get('host') ?? '' })
    const bytes = bundles.get(pathname)
    if (bytes === undefined) return new Response('no such bundle', { status: 404 })
    return partOf(bytes, request.headers.get('range'))
  })

  function publish(path: string, release: DeltaRelease): void {
    manifests.set(path, encodeManifest(release))
    for (const [bundle, bytes] of bundlesOf(release)) bundles.set(bundle, bytes)
  }
  return {
    port,
    configBaseUrl: url,
    sieveBaseUrl: url,
    requests,
    requestCount: () => requests.length,
    intercept: (other: typeof intercept) => void (intercept = other),
    publish(name: string, release: DeltaRelease): void {
      version = name
      publish(`/na/${name}.manifest`, release)
    },
    /** Publishes the game behind the launcher; `publish` published the launcher. */
    publishGame(name: string, release: DeltaRelease): void {
      game = name
      publish(`/game/${name}.manifest`, release)
    },
    stop,
  }
}
