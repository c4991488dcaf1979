import { describe, expect, test } from 'bun:test'
import { arriving } from '../../../../test/support/arriving.ts'
import {
  encodeBlte,
  encodeConfig,
  encodeDownload,
  encodeEncoding,
  encodeIndex,
  encodeInstall,
  hex,
  md5,
} from '../../../../test/support/stand-ins/gamma-encoder.ts'
import { endureMutations } from '../../../../test/support/mutations.ts'
import { seededRandom } from '../../../demo/random.ts'
import { readBlte } from './blte.ts'
import { ByteSource } from './byte-source.ts'
import { parseConfig } from './config-text.ts'
import { readIndex } from './index-file.ts'
import { KeySet } from './key-set.ts'
import { readDownloadManifest, readEncoding, readInstallManifest } from './manifests.ts'
import { parseHosts, parseVersions } from './tables.ts'

const keys = (count: number) => Array.from({ length: count }, (_, index) => md5(`key ${index}`))
const sourceOf = (bytes: Buffer) => new ByteSource(arriving(bytes))

describe('ten thousand mutations neither crash nor hang a reader', () => {
  const tags = [{ name: 'enUS', type: 3, files: [0, 5] }]
  const list = keys(60)
  const download = encodeDownload(
    list.map((key) => ({ key, bytes: 5 })),
    tags,
    3,
  )
  const install = encodeInstall(
    list.map((contentKey) => ({ path: 'x', contentKey, bytes: 1 })),
    tags,
  )
  const encoding = encodeEncoding(
    list.map((key) => ({ contentKey: key, encodedKey: key, bytes: 1 })),
  )
  const index = encodeIndex(list.map((key) => ({ key, bytes: 9, offset: 4 })))
  const config = encodeConfig('Build', {
    archives: list.map(hex),
    download: list.slice(0, 2).map(hex),
    'download-size': [10, 20],
    'vfs-1': list.slice(2, 4).map(hex),
  })
  const row = list.slice(0, 2).map(hex).join('|')
  const versions = `BuildConfig!HEX:16|CDNConfig!HEX:16|VersionsName!String:0\n${row}|1.0\n`
  const hosts = 'Path!STRING:0|Hosts!STRING:0\ntpr/d3|one.example.test two.example.test\n'
  const readConfig = (file: Buffer) => {
    const parsed = parseConfig(file.toString('latin1'), 'Build')
    for (const name of parsed.names) {
      parsed.keys(name)
      expect(parsed.encodedBytes(name)).toBeGreaterThanOrEqual(0)
    }
  }
  const isEnglish = (name: string) => name === 'enUS'

  /** Hashes that fit again, so that more than they is read. */
  const readRehashed = async (file: Buffer) => {
    const headerBytes = file.length < 8 ? 0 : Math.min(file.readUInt32BE(4), file.length)
    let first = headerBytes
    for (let entry = 12; entry + 24 <= headerBytes; entry += 24) {
      const end = first + file.readUInt32BE(entry)
      md5(file.subarray(first, end)).copy(file, entry + 8)
      first = end
    }
    let bytes = 0
    const count = async (source: ByteSource) => {
      for await (const part of source.rest()) bytes += part.length
    }
    try {
      await readBlte(arriving(file), hex(md5(file.subarray(0, headerBytes))), count)
    } finally {
      expect(bytes).toBeLessThan(1200 * (file.length + 1024))
    }
  }
  const blte = encodeBlte(Buffer.alloc(1500, 'x'), { chunkBytes: 1000 }).bytes
  const blteKey = hex(md5(blte.subarray(0, 60)))
  const readers: [string, Buffer, (file: Buffer) => unknown][] = [
    ['BLTE', blte, (file) => readBlte(arriving(file), blteKey, (source) => source.skipRest())],
    ['BLTE with its hashes made right', blte, readRehashed],
    ['index', index, (file) => readIndex(file, () => {})],
    ['download manifest', download, (file) => readDownloadManifest(sourceOf(file), isEnglish)],
    ['install manifest', install, (file) => readInstallManifest(sourceOf(file), () => true)],
    ['encoding file', encoding, (file) => readEncoding(sourceOf(file), new KeySet().sort())],
    ['config', config, readConfig],
    ['table of versions', Buffer.from(versions), (file) => parseVersions(file.toString('latin1'))],
    ['table of hosts', Buffer.from(hosts), (file) => parseHosts(file.toString('latin1'))],
  ]

  test.each(readers)('%s', async (_name, good, read) => {
    await read(Buffer.from(good))
    const random = seededRandom(7)
    const next = () => {
      const file = Buffer.from(good)
      for (let left = random.between(1, 6); left > 0; left--) {
        // Headers and footers decide most, so they are hit more often.
        const place = random.pick([20, 40, file.length])
        const at = random.between(0, Math.min(place, file.length) - 1)
        const value = random.pick([0, 1, 127, 128, 255])
        file[random.between(0, 3) === 0 ? file.length - 1 - at : at] = value
      }
      const isCut = random.between(0, 9) === 0
      return isCut ? file.subarray(0, random.between(0, file.length)) : file
    }
    await endureMutations(next, read)
  })
})
