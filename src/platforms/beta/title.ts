import type { ByteSpan } from '../bytes.ts'

const slash = 0x2f
const baseSegments = 5

/** The launcher itself; every other base path needs the catalogue. */
const launcherPath = '/builds/unrealenginelauncher/'

export const betaLauncherName = 'Epic Games Launcher'

/** Is this base path one of the launcher's own updates? */
export const isLauncherPath = (basePath: string): boolean =>
  `${basePath.toLowerCase()}/`.startsWith(launcherPath)

/** End of the first five path segments; with fewer, the directory the object lies in. */
export function basePathEnd(buffer: Uint8Array, path: ByteSpan): number {
  let segments = 0
  let lastSlash = path.from
  for (let at = path.from + 1; at < path.to; at++) {
    if (buffer[at] !== slash) continue
    segments++
    lastSlash = at
    if (segments === baseSegments) return at
  }
  return lastSlash
}
