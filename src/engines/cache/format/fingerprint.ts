import type { Stats } from 'node:fs'

/** Identifies a file as unchanged since it was read; without the device, which remounts change. */
export interface Fingerprint {
  /** Modulo 2^53: some network file systems use all 64 bits. */
  inode: number
  mtimeMs: number
  ctimeMs: number
  bytes: number
}

export const fingerprintOf = ({ ino, mtimeMs, ctimeMs, size }: Stats): Fingerprint => ({
  inode: ino % Number.MAX_SAFE_INTEGER,
  mtimeMs,
  ctimeMs,
  bytes: size,
})

export const isSameFile = (one: Fingerprint, other: Fingerprint): boolean =>
  one.inode === other.inode &&
  one.mtimeMs === other.mtimeMs &&
  one.ctimeMs === other.ctimeMs &&
  one.bytes === other.bytes
