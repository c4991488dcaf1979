import type { ContentObject } from '../content/download.ts'
import { fetchFile } from '../content/fetch-file.ts'
import { FormatError } from '../content/format-error.ts'
import type { RequestOptions } from '../content/request-object.ts'
import { splitRange } from '../content/ranges.ts'
import type { PlanOptions } from '../engine.ts'
import { readBlte } from './blte.ts'
import type { ByteSource } from './byte-source.ts'
import type { ContentPlace } from './tables.ts'

const megabyte = 1024 * 1024
const bytesMax = { config: 16 * megabyte, index: 256 * megabyte, manifest: 1024 * megabyte }
/** Manifests are requested in parts of this size, which are not in memory together. */
const partBytes = megabyte
/** By itself the runtime collects parts that were read after several times as many. */
const collectEveryBytes = 8 * megabyte

export interface FileName {
  folder: 'config' | 'data' | 'patch'
  /** In hex. */
  key: string
  isIndex?: boolean
}

export interface ManifestName {
  key: string
  /** 0: unknown. */
  bytes: number
}

/** Configs are named by their MD5. */
export const namedByHash = (key: string) => ({ hash: { algorithm: 'md5', hex: key } }) as const

/** Path of a file below a folder. */
export const pathOf = (folder: string, key: string): string =>
  `/${folder}/${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`

/**
 * Files of one product, which are read through the cache as the client does. One that cannot be read
 * is requested a second time, past the cache.
 */
export interface ProductFiles {
  object(name: FileName, part?: Partial<ContentObject>): ContentObject
  /** Reads a file in one go. Rejects with what `parse` throws. */
  read<T>(name: FileName, parse: (file: Buffer) => T): Promise<T>
  /** Reads a BLTE file as it comes. */
  readManifest<T>(name: ManifestName, parse: (content: ByteSource) => Promise<T>): Promise<T>
}

type Bypass = RequestOptions['bypass']

async function readTwice<T>(read: (bypass: Bypass) => Promise<T>): Promise<T> {
  try {
    return await read('never')
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return read('always')
  }
}

export function productFiles({ path, hosts }: ContentPlace, options: PlanOptions): ProductFiles {
  const { signal, meter } = options
  const targetOf = ({ folder, key, isIndex = false }: FileName) =>
    `${pathOf(`${path}/${folder}`, key)}${isIndex ? '.index' : ''}`

  const expectedOf = ({ folder, key }: FileName) =>
    folder === 'config' ? namedByHash(key) : undefined

  let uncollectedBytes = 0
  async function fetchPart(
    file: Pick<ContentObject, 'target' | 'range' | 'expected'>,
    limits: { bytesMax: number; bypass: Bypass },
  ): Promise<Buffer> {
    const client = await options.client()
    const part = await fetchFile({ hosts, ...file }, { client, signal, meter, ...limits })
    uncollectedBytes += part.length
    if (uncollectedBytes > collectEveryBytes) {
      uncollectedBytes = 0
      Bun.gc(true)
    }
    return part
  }

  async function* partsOf(target: string, bytes: number, bypass: Bypass): AsyncGenerator<Buffer> {
    if (bytes > bytesMax.manifest) throw new Error(`${target} has ${bytes} bytes`)
    if (bytes <= partBytes)
      yield await fetchPart({ target }, { bytesMax: bytesMax.manifest, bypass })
    else {
      for (const range of splitRange({ first: 0, last: bytes - 1 }, partBytes)) {
        yield await fetchPart({ target, range }, { bytesMax: partBytes, bypass })
      }
    }
  }

  return {
    object(name, part) {
      const [target, expected] = [targetOf(name), expectedOf(name)]
      return { hosts, target, bytes: 0, expected, ...part }
    },
    read(name, parse) {
      const limit = name.folder === 'config' ? bytesMax.config : bytesMax.index
      const file = { target: targetOf(name), expected: expectedOf(name) }
      return readTwice(async (bypass) => parse(await fetchPart(file, { bytesMax: limit, bypass })))
    },
    readManifest({ key, bytes }, parse) {
      const target = targetOf({ folder: 'data', key })
      return readTwice((bypass) => readBlte(partsOf(target, bytes, bypass), key, parse))
    },
  }
}
