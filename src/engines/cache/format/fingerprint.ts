import type { BigIntStats, Stats } from 'node:fs'

export const fingerprintOf = ({ ino, mtimeMs, ctimeMs, size }: Stats) => ({
  /** Modulo 2^53: some network file systems use all 64 bits. */
  inode: ino % Number.MAX_SAFE_INTEGER,
  mtimeMs,
  ctimeMs,
  bytes: size,
})
/** Identifies a file as unchanged since it was read; without the device, which remounts change. */
export type Fingerprint = ReturnType<typeof fingerprintOf>

export const isSameFile = (one: Fingerprint, other: Fingerprint): boolean =>
  one.inode === other.inode &&
  one.mtimeMs === other.mtimeMs &&
  one.ctimeMs === other.ctimeMs &&
  one.bytes === other.bytes

export const printOf = (stats: BigIntStats) => ({
  dev: String(stats.dev),
  ino: String(stats.ino),
  len: Number(stats.size),
  mtimeNs: String(stats.mtimeNs),
  ctimeNs: String(stats.ctimeNs),
})
/** 64-bit values as strings, because JSON numbers lose their last digits. */
export type ExactPrint = ReturnType<typeof printOf>

export const isSamePrint = (one: ExactPrint, other: ExactPrint): boolean =>
  one.dev === other.dev &&
  one.ino === other.ino &&
  one.len === other.len &&
  one.mtimeNs === other.mtimeNs &&
  one.ctimeNs === other.ctimeNs
