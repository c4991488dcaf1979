import {
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheFileBytes, sliceKey } from '../../src/demo/cache-generator.ts'
import { chunkName, seededRandom, type Random } from '../../src/demo/random.ts'
import { issueBits } from '../../src/engines/cache/format/header.ts'
import { digestOf, pathOfDigest } from '../../src/engines/cache/format/key.ts'

/** Expected index values of a file, in the generator's terms. */
export type RandomCacheFile = {
  bytes: number
  tag: string
  titleKey: string
  sliceStart: number
  issues: number
}

const longAgoMs = Date.now() - 30 * 86_400_000
const storedAt = 1_790_000_000
const largeSlice = 10_485_760

interface Made {
  key: string
  tag: string
  titleKey: string
  sliceStart: number
}

type Make = (random: Random, at: number) => Made

const hex = (random: Random) =>
  chunkName(random.between(1, 1_000_000), random.between(1, 1_000_000))

/** Every format of the keys of a proxy. */
const makers: Make[] = [
  (random, at) => {
    const depot = random.between(100, 140)
    const slice = random.between(0, 3)
    const key = sliceKey('steam', `/depot/${depot}/chunk/${hex(random)}${at}`, slice)
    return { key, tag: 'steam', titleKey: `alpha:${depot}`, sliceStart: slice * 1_048_576 }
  },
  (random, at) => {
    const key = sliceKey('steam', `/depot/77/chunk/${hex(random)}${at}`, 2, largeSlice)
    return { key, tag: 'steam', titleKey: 'alpha:77', sliceStart: 2 * largeSlice }
  },
  (_random, at) => {
    const key = `steam/depot/78/chunk/whole${at}`
    return { key, tag: 'steam', titleKey: 'alpha:78', sliceStart: -1 }
  },
  (_random, at) => {
    const key = `steam/depot/79/chunk/fallback${at}::noslice`
    return { key, tag: 'steam', titleKey: 'alpha:79', sliceStart: -2 }
  },
  (_random, at) => {
    const key = sliceKey('riot', `/channels/public/bundles/${at}.bundle`, 0)
    return { key, tag: 'riot', titleKey: '', sliceStart: 0 }
  },
  (_random, at) => {
    const key = sliceKey('cdn.example.test', `/päth/with space+plus/${at}`, 1)
    return { key, tag: 'cdn.example.test', titleKey: '', sliceStart: 1_048_576 }
  },
  (_random, at) => {
    const key = `lancache-steam/depot/80/chunk/${at}`
    return { key, tag: 'lancache-steam', titleKey: 'alpha:80', sliceStart: -1 }
  },
  (_random, at) => {
    const key = `lancache-riot/channels/public/bundles/${at}.bundle?token=${at}`
    return { key, tag: 'lancache-riot', titleKey: '', sliceStart: -1 }
  },
  (_random, at) => {
    const key = sliceKey('lancache-windows-update', `/filestreaming/${at}.cab`, 0)
    return { key, tag: 'lancache-windows-update', titleKey: '', sliceStart: 0 }
  },
]

/** A cache tree with known content: the same for the same seed. */
export class RandomCache {
  readonly root: string
  /** Cache files by digest. */
  readonly files = new Map<string, RandomCacheFile>()
  readonly random: Random
  /** Folders outside the tree, by their place in it, with their cache files. */
  readonly #away = new Map<string, [string, RandomCacheFile][]>()
  #made = 0
  #directoryMs = longAgoMs

  constructor(root: string, seed: number) {
    this.root = root
    this.random = seededRandom(seed)
    mkdirSync(root, { recursive: true })
  }

  /** Adds a file of any kind; sometimes corrupted, a Vary variant, or not a cache file. */
  add(): void {
    const at = this.#made++
    const made = this.random.pick(makers)(this.random, at)
    const digest = digestOf(made.key)
    const body = new Uint8Array(this.random.between(0, 40))
    const cacheFile = Buffer.from(
      cacheFileBytes({ key: made.key, body, storedAt: storedAt + at, etag: `"${at % 7}"` }),
    )
    const chance = this.random.between(0, 99)
    if (chance < 3) this.#noise(digest, cacheFile, chance)
    if (chance === 3)
      this.#put(digest, Buffer.alloc(0), { issues: issueBits(['empty_cache_file']) })
    else if (chance === 4) {
      const broken = Buffer.from(cacheFile)
      broken.writeUInt32LE(1, 48)
      this.#put(digest, broken, { issues: issueBits(['malformed_cache_header']) })
    } else if (chance === 5) {
      const variant = digestOf(`variant ${made.key}`)
      cacheFile.writeUInt8(15, 187)
      cacheFile.write('Accept-Encoding', 188)
      cacheFile.write(variant, 316, 'hex')
      this.#put(variant, cacheFile, made)
    } else this.#put(digest, cacheFile, made)
  }

  /** Deletes a cache file; returns its digest. */
  remove(): string | null {
    const digest = this.#any()
    if (digest === null) return null
    this.files.delete(digest)
    rmSync(join(this.root, pathOfDigest(digest)))
    this.#touch(digest)
    return digest
  }

  /** Another file under the same name, as stored by the proxy when the origin has changed. */
  replace(): void {
    const digest = this.remove()
    if (digest !== null)
      this.#put(digest, Buffer.alloc(0), { issues: issueBits(['empty_cache_file']) })
  }

  /** Moves a folder of either level out of the tree, or one that is outside back to its place. */
  moveFolder(): void {
    const [back] = [...this.#away.keys()].filter((folder) => !existsSync(join(this.root, folder)))
    if (back !== undefined && this.random.between(0, 1) === 0) {
      mkdirSync(dirname(join(this.root, back)), { recursive: true, mode: 0o700 })
      renameSync(this.#outside(back), join(this.root, back))
      for (const [digest, file] of this.#away.get(back) ?? []) this.files.set(digest, file)
      this.#away.delete(back)
      return
    }
    const digest = this.#any()
    if (digest === null) return
    const inner = dirname(pathOfDigest(digest))
    const folder = this.random.between(0, 3) === 0 ? dirname(inner) : inner
    if (this.#away.has(folder)) return
    renameSync(join(this.root, folder), this.#outside(folder))
    const moved = [...this.files].filter(([name]) => pathOfDigest(name).startsWith(`${folder}/`))
    for (const [name] of moved) this.files.delete(name)
    this.#away.set(folder, moved)
  }

  #outside(folder: string): string {
    return `${this.root}-${folder.replace('/', '-')}`
  }

  #any(): string | null {
    const skip = this.random.between(0, Math.max(0, this.files.size - 1))
    let at = 0
    for (const digest of this.files.keys()) if (at++ === skip) return digest
    return null
  }

  #put(digest: string, bytes: Uint8Array, facts: Partial<RandomCacheFile>): void {
    const path = join(this.root, pathOfDigest(digest))
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, bytes, { mode: 0o600 })
    utimesSync(path, longAgoMs / 1000, longAgoMs / 1000)
    this.#touch(digest)
    const known = { tag: '', titleKey: '', sliceStart: -1, issues: 0 }
    const { tag, titleKey, sliceStart, issues } = { ...known, ...facts }
    this.files.set(digest, { bytes: bytes.length, tag, titleKey, sliceStart, issues })
  }

  /** Every change gives its directory a new mtime, as a clock would. */
  #touch(digest: string): void {
    this.#directoryMs += 1000
    const seconds = this.#directoryMs / 1000
    utimesSync(dirname(join(this.root, pathOfDigest(digest))), seconds, seconds)
  }

  /** Entries beside cache files that are none. */
  #noise(digest: string, bytes: Uint8Array, kind: number): void {
    const path = join(this.root, pathOfDigest(digest))
    const folder = dirname(path)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (kind === 0) writeFileSync(`${path}.0000000031`, bytes)
    if (kind === 1) writeFileSync(join(folder, `${digest.slice(0, 30)}zz`), bytes)
    if (kind === 2) symlinkSync('/etc/hostname', join(folder, `link${digest.slice(0, 28)}`))
    this.#touch(digest)
  }
}
