import { createHash } from 'node:crypto'
import pLimit from 'p-limit'
import type { ContentObject } from '../content/download.ts'
import { FormatError } from '../content/format-error.ts'
import { bytesOf, splitRange } from '../content/ranges.ts'
import type { AppPlan, PlanOptions } from '../engine.ts'
import { wantedRanges } from './archive-ranges.ts'
import { parseConfig, type ConfigText } from './config-text.ts'
import { pathOf, productFiles, type FileName, type ProductFiles } from './files.ts'
import { readIndex } from './index-file.ts'
import { KeySet } from './key-set.ts'
import {
  readDownloadManifest,
  readEncoding,
  readInstallManifest,
  type TagRule,
} from './manifests.ts'
import type { Product } from './products.ts'
import type { ContentPlace, ProductVersion } from './tables.ts'

/** Longer ranges are several requests: a broken one repeats less, and more run at the same time. */
const requestBytesMax = 32 * 1024 * 1024
/** The client reads at least this much of some files. */
const shortestBytes = 4096

/** Chooses tags by the product's list. */
const tagRule = ({ tags, matchesParts }: Product): TagRule =>
  matchesParts
    ? (name) => tags.some((tag) => name.includes(tag))
    : (name) => tags.some((tag) => name === tag)

/** Files that are installed outright, for a client in English on Windows. */
const installRule: TagRule = (name) => name === 'enUS' || name === 'Windows'

interface Wanted {
  /** Encoded keys of everything that has to be downloaded. */
  keys: KeySet
  /** The encoding file, which the client requests, if its content does not matter. */
  unread: ContentObject[]
}

async function wantedKeys(
  product: Product,
  build: ConfigText,
  files: ProductFiles,
): Promise<Wanted> {
  const manifest = (name: string) => {
    const key = build.encodedKey(name)
    return key === null ? null : { key, bytes: build.encodedBytes(name) }
  }
  const [download, install, encoding] = [
    manifest('download'),
    manifest('install'),
    manifest('encoding'),
  ]
  const keys =
    download === null
      ? new KeySet()
      : await files.readManifest(download, (it) => readDownloadManifest(it, tagRule(product)))
  const installed =
    install === null
      ? new KeySet()
      : await files.readManifest(install, (it) => readInstallManifest(it, installRule))
  if (encoding === null) return { keys: keys.sort(), unread: [] }
  if (installed.size === 0) {
    const { key, bytes } = encoding
    return { keys: keys.sort(), unread: [files.object({ folder: 'data', key }, { bytes })] }
  }
  installed.sort()
  keys.addAll(await files.readManifest(encoding, (it) => readEncoding(it, installed)))
  return { keys: keys.sort(), unread: [] }
}

/** Wanted ranges of an archive; the largest games have hundreds of thousands in all. */
interface ArchivePart {
  name: FileName
  /** First and last byte of each range. */
  bounds: Float64Array
}

function archiveParts(
  archives: readonly string[],
  { product, wanted, files }: { product: Product; wanted: KeySet; files: ProductFiles },
): Promise<ArchivePart[]> {
  const turn = pLimit(product.indexesAtOnce)
  return Promise.all(
    archives.map((key) =>
      turn(() =>
        files.read({ folder: 'data', key, isIndex: true }, (index) => ({
          name: { folder: 'data' as const, key },
          bounds: wantedRanges(index, wanted),
        })),
      ),
    ),
  )
}

function* archiveObjects(
  parts: readonly ArchivePart[],
  files: ProductFiles,
): Generator<ContentObject, void, undefined> {
  for (const { name, bounds } of parts) {
    for (let at = 0; at < bounds.length; at += 2) {
      const whole = { first: bounds[at] ?? 0, last: bounds[at + 1] ?? 0 }
      for (const range of splitRange(whole, requestBytesMax)) {
        yield files.object(name, { range, bytes: bytesOf(range) })
      }
    }
  }
}

const archiveBytes = (parts: readonly ArchivePart[]): number => {
  let bytes = 0
  for (const { bounds } of parts) {
    for (let at = 0; at < bounds.length; at += 2)
      bytes += (bounds[at + 1] ?? 0) - (bounds[at] ?? 0) + 1
  }
  return bytes
}

/** Wanted files that lie outside of the archives. */
async function looseObjects(
  index: string | null,
  { product, wanted, files }: { product: Product; wanted: KeySet; files: ProductFiles },
): Promise<ContentObject[]> {
  if (index === null) return []
  return files.read({ folder: 'data', key: index, isIndex: true }, (file) => {
    const objects: ContentObject[] = []
    readIndex(file, (keyAt, bytes) => {
      if (!wanted.take(file, keyAt)) return
      const key = file.toString('hex', keyAt, keyAt + 16)
      const range = { first: 0, last: Math.max(bytes, product.looseBytesMin) - 1 }
      objects.push(files.object({ folder: 'data', key }, { range, bytes }))
    })
    return objects
  })
}

/** Files of the build's virtual file system, each once; they lie outside of the archives. */
function vfsObjects(build: ConfigText, wanted: KeySet, files: ProductFiles): ContentObject[] {
  const sizes = new Map<string, number>()
  for (const name of build.names.filter((one) => /^vfs-(?:root|\d+)$/.test(one))) {
    const key = build.encodedKey(name)
    if (key !== null) sizes.set(key, build.encodedBytes(name))
  }
  return [...sizes].map(([key, bytes]) => {
    wanted.take(Buffer.from(key, 'hex'))
    return files.object({ folder: 'data', key }, { bytes })
  })
}

/** What the client requests beside the game's files, and can do without. */
function clientObjects(
  { hasPatchIndexes }: Product,
  configs: { version: ProductVersion; place: ContentPlace; build: ConfigText; cdn: ConfigText },
  files: ProductFiles,
): ContentObject[] {
  const { version, place, build, cdn } = configs
  const whole = (name: Omit<FileName, 'key'>, key: string | null) =>
    key === null ? [] : [files.object({ ...name, key })]
  const productConfig = () => {
    const { configPath } = place
    const { productConfig: key } = version
    return key === null ? [] : [{ hosts: place.hosts, target: pathOf(configPath, key), bytes: 0 }]
  }
  const patchIndex = () => {
    const key = build.encodedKey('patch-index')
    if (key === null) return []
    const bytes = build.encodedBytes('patch-index')
    const range = { first: 0, last: Math.max(bytes, shortestBytes) - 1 }
    return [files.object({ folder: 'data', key }, { range, bytes })]
  }
  const index = { folder: 'patch', isIndex: true } as const
  const objects = [
    ...productConfig(),
    ...whole({ folder: 'config' }, version.keyRing),
    ...whole({ folder: 'data' }, build.encodedKey('size')),
    ...(hasPatchIndexes
      ? [
          ...whole(index, cdn.encodedKey('patch-file-index')),
          ...patchIndex(),
          ...cdn.keys('patch-archives').flatMap((key) => whole(index, key)),
        ]
      : []),
  ]
  return objects.map((object) => ({ ...object, isOptional: true }))
}

/** Reads a config, whose MD5 is its name. */
const readConfig = (files: ProductFiles, key: string, kind: 'Build' | 'CDN') =>
  files.read({ folder: 'config', key }, (file) => {
    const actual = createHash('md5').update(file).digest('hex')
    if (actual !== key) throw new FormatError(`a ${kind} config has another MD5 than its name`)
    return parseConfig(file.toString(), kind)
  })

/** Lists everything that a client downloads for the current version of a product. */
export async function planProduct(
  product: Product,
  { version, place }: { version: ProductVersion; place: ContentPlace },
  options: PlanOptions,
): Promise<AppPlan> {
  const files = productFiles(place, options)
  options.preparing(`Reading the configuration of ${product.name}`)
  const build = await readConfig(files, version.buildConfig, 'Build')
  const cdn = await readConfig(files, version.cdnConfig, 'CDN')
  options.preparing(`Reading the manifests of ${product.name}`)
  const { keys: wanted, unread } = await wantedKeys(product, build, files)
  options.preparing(`Reading the indexes of ${product.name}`)
  const parts = { product, wanted, files }
  const archives = await archiveParts(cdn.keys('archives'), parts)
  const vfs = vfsObjects(build, wanted, files)
  const loose = await looseObjects(cdn.encodedKey('file-index'), parts)
  // Its memory is free before the download begins.
  wanted.clear()
  Bun.gc(true)
  const client = clientObjects(product, { version, place, build, cdn }, files)
  const others = [...client, ...unread, ...vfs, ...loose]
  function* objects() {
    yield* others
    yield* archiveObjects(archives, files)
  }
  const totalBytes = others.reduce((sum, { bytes }) => sum + bytes, archiveBytes(archives))
  return { totalBytes, objects: objects(), depots: [], unavailable: null }
}
