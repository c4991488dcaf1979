import type { ByteSpan } from '../bytes.ts'

const slash = 0x2f
const baseSegments = 5

/** The launcher itself; every other base path needs the catalogue. */
const launcherPath = '/builds/unrealenginelauncher/'

export const betaLauncherName = 'Epic Games Launcher'

/** Whether this base path belongs to the launcher's own updates. */
export const isLauncherPath = (basePath: string): boolean =>
  `${basePath.toLowerCase()}/`.startsWith(launcherPath)

/** Chunk folders (`ChunksV3`, `ChunksV4`) are below the base path, never in it. */
const chunkFolder = new TextEncoder().encode('Chunks')

function isChunkFolder(buffer: Uint8Array, at: number, end: number): boolean {
  if (at + chunkFolder.length > end) return false
  for (let index = 0; index < chunkFolder.length; index++) {
    if (buffer[at + index] !== chunkFolder[index]) return false
  }
  return true
}

/**
 * End of the base path, the directory of a build's manifest: before the chunk folder, else after
 * the first five path segments; with fewer, the object's directory.
 */
export function basePathEnd(buffer: Uint8Array, path: ByteSpan): number {
  let segments = 0
  let lastSlash = path.from
  for (let at = path.from + 1; at < path.to; at++) {
    if (buffer[at] !== slash) continue
    segments++
    lastSlash = at
    if (segments === baseSegments || isChunkFolder(buffer, at + 1, path.to)) return at
  }
  return lastSlash
}

/** A base path and the directories above it, deepest first. */
export function* pathsFrom(basePath: string): Generator<string> {
  for (let path = basePath; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) {
    yield path
  }
}
