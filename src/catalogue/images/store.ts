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

export interface ImageStore {
  find(key: string): StoredImage | null
  /** Keys of all stored images. */
  keys(): string[]
  /** An image and its content; null: not stored, or changed on disk. */
  read(key: string): Promise<{ image: StoredImage; content: Buffer } | null>
  /** Stores an image; the least recently used ones make room for it. */
  keep(key: string, image: { bytes: Buffer; type: StoredImage['type'] }): Promise<void>
  /** Whether the image was found nowhere, a while ago at most. */
  isMissing(key: string): boolean
  noteMissing(key: string, untilMs: number): void
  clear(): Promise<void>
  /** Writes the index; images stored since the last time are lost without it. */
  save(): Promise<void>
}

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

/** Images of games in a folder: one file each, and an index. */
export async function openImageStore(
  folder: string,
  { log, now, limits = usualLimits }: { log: Logger; now: () => number; limits?: ImageStoreLimits },
): Promise<ImageStore> {
  const index = await readIndex(folder, log)
  const images = new Map(Object.entries(index.images))
  const missing = new Map(Object.entries(index.missing))
  await removeStrays(folder, images.keys())
  let totalBytes = images.values().reduce((sum, { bytes }) => sum + bytes, 0)

  function forget(key: string): void {
    totalBytes -= images.get(key)?.bytes ?? 0
    images.delete(key)
  }

  async function write(name: string, content: string | Buffer): Promise<void> {
    const path = join(folder, name)
    await mkdir(folder, { recursive: true })
    await writeFile(`${path}.new`, content)
    await rename(`${path}.new`, path)
  }

  async function makeRoom(bytes: number): Promise<void> {
    const oldest = [...images].toSorted(([, a], [, b]) => a.usedAt - b.usedAt)
    for (const [key] of oldest) {
      if (totalBytes + bytes <= limits.bytesMax && images.size < limits.imagesMax) return
      forget(key)
      await unlink(join(folder, fileOf(key))).catch(() => {})
    }
  }

  return {
    find: (key) => images.get(key) ?? null,
    keys: () => [...images.keys()],
    async read(key) {
      const image = images.get(key)
      if (image === undefined) return null
      const content = await readFile(join(folder, fileOf(key))).catch(() => null)
      if (content !== null && sha256(content) === image.sha256) {
        image.usedAt = now()
        return { image, content }
      }
      // Unless it was replaced meanwhile.
      if (images.get(key) === image) forget(key)
      return null
    },
    async keep(key, { bytes: content, type }) {
      const bytes = content.length
      await makeRoom(bytes - (images.get(key)?.bytes ?? 0))
      totalBytes += bytes
      try {
        await write(fileOf(key), content)
      } catch (error) {
        totalBytes -= bytes
        throw error
      }
      forget(key)
      const nowMs = now()
      const times = { fetchedAt: nowMs, usedAt: nowMs }
      images.set(key, { type, bytes, sha256: sha256(content), ...times })
      missing.delete(key)
    },
    isMissing: (key) => (missing.get(key) ?? 0) > now(),
    noteMissing(key, untilMs) {
      missing.delete(key)
      missing.set(key, untilMs)
      const [first] = missing.keys()
      if (missing.size > missingMax && first !== undefined) missing.delete(first)
    },
    async clear() {
      images.clear()
      missing.clear()
      totalBytes = 0
      await removeStrays(folder, [])
      await rm(join(folder, indexName), { force: true })
    },
    save: () =>
      write(
        indexName,
        JSON.stringify({
          images: Object.fromEntries(images),
          missing: Object.fromEntries(missing),
        }),
      ),
  }
}
