import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Logger } from '../../core/lib/log.ts'
import { imageTypes } from './media-type.ts'

const time = Type.Number({ description: 'Milliseconds since 1970' })
const Stored = Type.Object({
  type: Type.Union(imageTypes.map((type) => Type.Literal(type))),
  bytes: Type.Integer({ minimum: 1 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  fetchedAt: time,
  usedAt: time,
})
export type StoredImage = Static<typeof Stored>
const Index = Type.Object({
  images: Type.Record(Type.String(), Stored),
  /** Images that are nowhere, and when to ask again. */
  missing: Type.Record(Type.String(), time),
})

export interface ImageStoreLimits {
  bytesMax: number
  imagesMax: number
}
const usualLimits: ImageStoreLimits = { bytesMax: 256 * 1024 * 1024, imagesMax: 10_000 }
/** Absent images that are remembered at most. */
const missingMax = 20_000
/** Larger is certainly not ours. */
const indexBytesMax = 16 * 1024 * 1024
const indexName = 'index.json'

const sha256 = (data: string | Uint8Array): string =>
  createHash('sha256').update(data).digest('hex')

/** A key never reaches the disk: the file is named after its hash. */
const fileOf = (key: string): string => sha256(key)

async function readIndex(folder: string, log: Logger): Promise<Static<typeof Index>> {
  const nothing = { images: {}, missing: {} }
  const text = await readFile(join(folder, indexName), 'utf8').catch(() => null)
  if (text === null || text.length > indexBytesMax) return nothing
  try {
    const index: unknown = JSON.parse(text)
    if (Value.Check(Index, index)) return index
  } catch {
    // Handled like any other form.
  }
  log.warn('the index of game images is damaged; they are fetched again')
  return nothing
}

/** Files that no entry of the index has: left by a kill between the two. */
async function removeStrays(folder: string, keys: Iterable<string>): Promise<void> {
  const known = new Set([indexName, ...[...keys].map(fileOf)])
  const strays = (await readdir(folder).catch(() => [])).filter((name) => !known.has(name))
  for (const name of strays) await rm(join(folder, name), { force: true, recursive: true })
}

interface StoreParts {
  log: Logger
  now: () => number
  limits?: ImageStoreLimits
}

/** Opens the folder of the images, which need not exist. */
export async function openImageStore(folder: string, parts: StoreParts): Promise<ImageStore> {
  const index = await readIndex(folder, parts.log)
  await removeStrays(folder, Object.keys(index.images))
  return new ImageStore(folder, index, parts)
}

/** Images of games in a folder: one file each, and an index. */
export class ImageStore {
  readonly #folder: string
  readonly #images: Map<string, StoredImage>
  readonly #missing: Map<string, number>
  readonly #now: () => number
  readonly #limits: ImageStoreLimits
  #totalBytes: number

  constructor(folder: string, index: Static<typeof Index>, { now, limits }: StoreParts) {
    this.#folder = folder
    this.#images = new Map(Object.entries(index.images))
    this.#missing = new Map(Object.entries(index.missing))
    this.#totalBytes = this.#images.values().reduce((sum, { bytes }) => sum + bytes, 0)
    this.#now = now
    this.#limits = limits ?? usualLimits
  }

  find(key: string): StoredImage | null {
    return this.#images.get(key) ?? null
  }

  keys(): string[] {
    return [...this.#images.keys()]
  }

  /** An image and its content; null: not stored, or changed on disk. */
  async read(key: string): Promise<{ image: StoredImage; content: Buffer } | null> {
    const image = this.#images.get(key)
    if (image === undefined) return null
    const content = await readFile(this.#pathOf(key)).catch(() => null)
    if (content !== null && sha256(content) === image.sha256) {
      image.usedAt = this.#now()
      return { image, content }
    }
    // Unless it was replaced meanwhile.
    if (this.#images.get(key) === image) this.#forget(key)
    return null
  }

  /** Stores an image; the least recently used ones make room for it. Throws errors of the disk. */
  async keep(
    key: string,
    { bytes: content, type }: { bytes: Buffer; type: StoredImage['type'] },
  ): Promise<void> {
    const bytes = content.length
    await this.#makeRoom(bytes - (this.#images.get(key)?.bytes ?? 0))
    this.#totalBytes += bytes
    try {
      await this.#write(this.#pathOf(key), content)
    } catch (error) {
      this.#totalBytes -= bytes
      throw error
    }
    this.#forget(key)
    const nowMs = this.#now()
    const times = { fetchedAt: nowMs, usedAt: nowMs }
    this.#images.set(key, { type, bytes, sha256: sha256(content), ...times })
    this.#missing.delete(key)
  }

  /** Whether the image was found nowhere, a while ago at most. */
  isMissing(key: string): boolean {
    return (this.#missing.get(key) ?? 0) > this.#now()
  }

  noteMissing(key: string, untilMs: number): void {
    this.#missing.delete(key)
    this.#missing.set(key, untilMs)
    const [first] = this.#missing.keys()
    if (this.#missing.size > missingMax && first !== undefined) this.#missing.delete(first)
  }

  async clear(): Promise<void> {
    this.#images.clear()
    this.#missing.clear()
    this.#totalBytes = 0
    await removeStrays(this.#folder, [])
    await rm(join(this.#folder, indexName), { force: true })
  }

  /** Writes the index; images stored since the last time are lost without it. */
  async save(): Promise<void> {
    const images = Object.fromEntries(this.#images)
    const missing = Object.fromEntries(this.#missing)
    await this.#write(join(this.#folder, indexName), JSON.stringify({ images, missing }))
  }

  #pathOf(key: string): string {
    return join(this.#folder, fileOf(key))
  }

  #forget(key: string): void {
    this.#totalBytes -= this.#images.get(key)?.bytes ?? 0
    this.#images.delete(key)
  }

  async #write(path: string, content: string | Buffer): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    await writeFile(`${path}.new`, content)
    await rename(`${path}.new`, path)
  }

  async #makeRoom(bytes: number): Promise<void> {
    const oldest = [...this.#images].toSorted(([, a], [, b]) => a.usedAt - b.usedAt)
    for (const [key] of oldest) {
      const { bytesMax, imagesMax } = this.#limits
      if (this.#totalBytes + bytes <= bytesMax && this.#images.size < imagesMax) return
      this.#forget(key)
      await unlink(this.#pathOf(key)).catch(() => {})
    }
  }
}
