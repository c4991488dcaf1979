import pLimit from 'p-limit'
import { fetchFile } from '../content/fetch-file.ts'
import type { ContentObject } from '../content/download.ts'
import { bytesOf, mergeRanges, splitRange, type ByteRange } from '../content/ranges.ts'
import type { AppPlan, PlanOptions } from '../engine.ts'
import { parseConfig, type ConfigText } from './config-text.ts'
import { readIndex } from './index-file.ts'
import { KeyTable } from './key-table.ts'
import {
  readDownloadManifest,
  readEncoding,
  readInstallManifest,
  type TagRule,
} from './manifests.ts'
import type { Product } from './products.ts'
import type { ContentPlace, ProductVersion } from './tables.ts'

/** Ranges of one file that are less than this apart are requested as one. */
const gapBytes = 4096
/** Longer ranges are several requests: a broken one repeats less, and more run at the same time. */
const requestBytesMax = 32 * 1024 * 1024
/** The client reads at least this much of some files. */
const shortestBytes = 4096
const megabyte = 1024 * 1024
const bytesMax = { config: 16 * megabyte, index: 256 * megabyte, manifest: 1024 * megabyte }

type Folder = 'config' | 'data' | 'patch'
interface FileName {
  folder: Folder
  /** In hex. */
  key: string
  isIndex?: boolean
}

/** Reads files of one product through the cache. */
interface Files {
  target(name: FileName): string
  read(name: FileName, limit: number): Promise<Buffer>
  object(name: FileName, part?: Partial<ContentObject>): ContentObject
}

function filesOf({ path, hosts }: ContentPlace, options: PlanOptions): Files {
  const { signal, meter } = options
  const target = ({ folder, key, isIndex = false }: FileName) =>
    `/${path}/${folder}/${key.slice(0, 2)}/${key.slice(2, 4)}/${key}${isIndex ? '.index' : ''}`
  return {
    target,
    async read(name, limit) {
      const client = await options.client()
      const file = { hosts, target: target(name) }
      return fetchFile(file, { client, signal, meter, bytesMax: limit })
    },
    object: (name, part) => ({ hosts, target: target(name), bytes: 0, ...part }),
  }
}

const rangeObject = (files: Files, name: FileName, range: ByteRange) =>
  files.object(name, { range, bytes: bytesOf(range) })

/** Chooses tags by the product's list. */
const tagRule = ({ tags, matchesParts }: Product): TagRule =>
  matchesParts
    ? (name) => tags.some((tag) => name.includes(tag))
    : (name) => tags.some((tag) => name === tag)

/** Files that are installed outright, for a client in English on Windows. */
const installRule: TagRule = (name) => name === 'enUS' || name === 'Windows'

/** Encoded keys of everything that has to be downloaded. */
async function wantedKeys(product: Product, build: ConfigText, files: Files): Promise<KeyTable> {
  const wanted = new KeyTable()
  const manifest = async (name: string) => {
    const key = build.encodedKey(name)
    return key === null ? null : files.read({ folder: 'data', key }, bytesMax.manifest)
  }
  const download = await manifest('download')
  if (download !== null)
    readDownloadManifest(download, tagRule(product), (bytes, at) => wanted.add(bytes, at))
  const install = await manifest('install')
  const contentKeys = new KeyTable()
  if (install !== null)
    readInstallManifest(install, installRule, (bytes, at) => contentKeys.add(bytes, at))
  const encoding = await manifest('encoding')
  if (encoding !== null) {
    readEncoding(encoding, (bytes, contentKeyAt, encodedKeyAt) => {
      if (contentKeys.indexOf(bytes, contentKeyAt) !== -1) wanted.add(bytes, encodedKeyAt)
    })
  }
  return wanted
}

/** Ranges of the wanted files in the archives. */
async function archiveObjects(
  archives: readonly string[],
  { product, wanted, files }: { product: Product; wanted: KeyTable; files: Files },
): Promise<ContentObject[]> {
  const turn = pLimit(product.indexesAtOnce)
  const objects = await Promise.all(
    archives.map((key) =>
      turn(async () => {
        const index = await files.read({ folder: 'data', key, isIndex: true }, bytesMax.index)
        const ranges: ByteRange[] = []
        readIndex(index, (keyAt, bytes, offset) => {
          const at = wanted.indexOf(index, keyAt)
          if (at === -1 || !wanted.mark(at)) return
          ranges.push({ first: offset, last: offset + bytes - 1 })
        })
        const name = { folder: 'data', key } as const
        return mergeRanges(ranges, gapBytes)
          .flatMap((range) => splitRange(range, requestBytesMax))
          .map((range) => rangeObject(files, name, range))
      }),
    ),
  )
  return objects.flat()
}

/** Wanted files that lie outside of the archives. */
async function looseObjects(
  index: string | null,
  { product, wanted, files }: { product: Product; wanted: KeyTable; files: Files },
): Promise<ContentObject[]> {
  if (index === null) return []
  const file = await files.read({ folder: 'data', key: index, isIndex: true }, bytesMax.index)
  const objects: ContentObject[] = []
  readIndex(file, (keyAt, bytes) => {
    const at = wanted.indexOf(file, keyAt)
    if (at === -1 || !wanted.mark(at)) return
    const key = file.toString('hex', keyAt, keyAt + 16)
    const range = { first: 0, last: Math.max(bytes, product.looseBytesMin) - 1 }
    objects.push(files.object({ folder: 'data', key }, { range, bytes }))
  })
  return objects
}

/** What the client requests beside the game's files. */
function clientObjects(
  product: Product,
  configs: { version: ProductVersion; build: ConfigText; cdn: ConfigText },
  files: Files,
): ContentObject[] {
  const { version, build, cdn } = configs
  const whole = (folder: Folder, key: string | null, isIndex = false) =>
    key === null ? [] : [files.object({ folder, key, isIndex }, { isOptional: true })]
  const beginning = (name: string) => {
    const key = build.encodedKey(name)
    if (key === null) return []
    const bytes = build.encodedBytes(name)
    const range = { first: 0, last: Math.max(bytes, shortestBytes) - 1 }
    return [files.object({ folder: 'data', key }, { range, bytes, isOptional: true })]
  }
  return [
    ...whole('config', version.keyRing),
    ...whole('data', build.encodedKey('size')),
    ...beginning('vfs-root'),
    ...(product.hasPatchConfig ? whole('config', build.encodedKey('patch-config')) : []),
    ...whole('patch', build.encodedKey('patch')),
    ...(product.hasPatchIndexes
      ? [
          ...whole('patch', cdn.encodedKey('patch-file-index'), true),
          ...beginning('patch-index'),
          ...cdn.keys('patch-archives').flatMap((key) => whole('patch', key, true)),
        ]
      : []),
  ]
}

/** Lists everything that a client downloads for the current version of a product. */
export async function planProduct(
  product: Product,
  { version, place }: { version: ProductVersion; place: ContentPlace },
  options: PlanOptions,
): Promise<AppPlan> {
  const files = filesOf(place, options)
  const config = async (key: string, kind: 'Build' | 'CDN') =>
    parseConfig((await files.read({ folder: 'config', key }, bytesMax.config)).toString(), kind)
  options.preparing(`Reading the configuration of ${product.name}`)
  const build = await config(version.buildConfig, 'Build')
  const cdn = await config(version.cdnConfig, 'CDN')
  options.preparing(`Reading the manifests of ${product.name}`)
  const wanted = await wantedKeys(product, build, files)
  options.preparing(`Reading the indexes of ${product.name}`)
  const parts = { product, wanted, files }
  const inArchives = await archiveObjects(cdn.keys('archives'), parts)
  const loose = await looseObjects(cdn.encodedKey('file-index'), parts)
  const objects = [
    ...clientObjects(product, { version, build, cdn }, files),
    ...inArchives,
    ...loose,
  ]
  return {
    totalBytes: objects.reduce((sum, { bytes }) => sum + bytes, 0),
    objects,
    depots: [],
    unavailable: null,
  }
}
