import { statfsSync } from 'node:fs'

/** Left free on the disk: the service has to go on writing. */
const reserveBytes = 256 * 1024 * 1024

export const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Bytes that a job may still write. */
export const usableBytes = (folder: string): number => freeBytes(folder) - reserveBytes

const inMib = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`

/** Throws when a disk lacks the space, in words for the operator. */
export function requireSpace(folder: string, bytes: number): void {
  const free = freeBytes(folder)
  if (free >= bytes + reserveBytes) return
  throw new Error(
    `The disk of the data folder has ${inMib(free)} free; this needs about ` +
      `${inMib(bytes)}, and ${inMib(reserveBytes)} have to stay free`,
  )
}
