import type { BigIntStats, Stats } from 'node:fs'

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

/** 64-bit values as strings, because JSON numbers lose their last digits. */
export interface ExactPrint {
  dev: string
  ino: string
  len: number
  mtimeNs: string
  ctimeNs: string
}

export const printOf = (stats: BigIntStats): ExactPrint => ({
  dev: String(stats.dev),
  ino: String(stats.ino),
  len: Number(stats.size),
  mtimeNs: String(stats.mtimeNs),
  ctimeNs: String(stats.ctimeNs),
})

export const isSamePrint = (one: ExactPrint, other: ExactPrint): boolean =>
  one.dev === other.dev &&
  one.ino === other.ino &&
  one.len === other.len &&
  one.mtimeNs === other.mtimeNs &&
  one.ctimeNs === other.ctimeNs
