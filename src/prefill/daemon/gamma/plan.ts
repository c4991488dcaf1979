import pLimit from 'p-limit'
import type { ContentObject } from '../content/download.ts'
import { bytesOf, splitRange } from '../content/ranges.ts'
import type { AppPlan, PlanOptions } from '../engine.ts'
import { wantedRanges } from './archive-ranges.ts'
import type { ByteSource } from './byte-source.ts'
import { parseConfig, type ConfigText } from './config-text.ts'
import { namedByHash, pathOf, productFiles, type FileName, type ProductFiles } from './files.ts'
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

/** Chooses tags by the product's list. */
const tagRule = ({ tags, matchesParts }: Product): TagRule =>
  matchesParts
    ? (name) => tags.some((tag) => name.includes(tag))
    : (name) => tags.some((tag) => name === tag)

/** Files that are installed outright, for a client in English on Windows. */
const installRule: TagRule = (name) => name === 'enUS' || name === 'Windows'

/** A file of the build as a whole; none where the build does not name it. */
function wholeFile(name: string, build: ConfigText, files: ProductFiles): ContentObject[] {
  const key = build.encodedKey(name)
  return key === null
    ? []
    : [files.object({ folder: 'data', key }, { bytes: build.encodedBytes(name) })]
}

interface Wanted {
  /** Encoded keys of everything that has to be downloaded. */
  keys: KeySet
  /** Manifests that the client requests, and whose content does not matter. */
  unread: ContentObject[]
}

async function wantedKeys(
  product: Product,
  build: ConfigText,
  files: ProductFiles,
): Promise<Wanted> {
  const read = async (name: string, parse: (content: ByteSource) => Promise<KeySet>) => {
    const key = build.encodedKey(name)
    if (key === null) return new KeySet()
    return files.readManifest({ key, bytes: build.encodedBytes(name) }, parse)
  }
  const keys = await read('download', (it) => readDownloadManifest(it, tagRule(product)))
  const installed = await read('install', (it) => readInstallManifest(it, installRule))
  installed.sort()
  const isEncodingRead = installed.size > 0
  if (isEncodingRead) keys.addAll(await read('encoding', (it) => readEncoding(it, installed)))
  keys.sort()
  return { keys, unread: isEncodingRead ? [] : wholeFile('encoding', build, files) }
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
  const names = build.names.filter((name) => /^vfs-(?:root|\d+)$/.test(name))
  const byKey = new Map(names.map((name) => [build.encodedKey(name) ?? '', name]))
  byKey.delete('')
  return [...byKey].flatMap(([key, name]) => {
    wanted.take(Buffer.from(key, 'hex'))
    return wholeFile(name, build, files)
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
    const { hosts, configPath } = place
    const { productConfig: key } = version
    if (key === null) return []
    return [{ hosts, target: pathOf(configPath, key), bytes: 0, expected: namedByHash(key) }]
  }
  const index = { folder: 'patch', isIndex: true } as const
  const objects = [
    ...productConfig(),
    ...whole({ folder: 'config' }, version.keyRing),
    ...wholeFile('size', build, files),
    ...(hasPatchIndexes
      ? [
          ...whole(index, cdn.encodedKey('patch-file-index')),
          ...wholeFile('patch-index', build, files),
          ...cdn.keys('patch-archives').flatMap((key) => whole(index, key)),
        ]
      : []),
  ]
  return objects.map((object) => ({ ...object, isOptional: true }))
}

const readConfig = (files: ProductFiles, key: string, kind: 'Build' | 'CDN') =>
  files.read({ folder: 'config', key }, (file) => parseConfig(file.toString(), kind))

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
