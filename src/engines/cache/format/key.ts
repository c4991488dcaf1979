import { join } from 'node:path'

/** md5 of a key as 32 lower-case hex digits: the file's name. */
export const digestOf = (key: string | Uint8Array): string =>
  new Bun.CryptoHasher('md5').update(key).digest('hex')

/** Path below the root for `levels=2:2`: the last two digits come first. */
export const pathOfDigest = (digest: string): string =>
  join(digest.slice(30, 32), digest.slice(28, 30), digest)

/** Number of the hash directory, in the order of the walk: 0 to 65535. */
export const dirOfDigest = (digest: string): number =>
  Number.parseInt(digest.slice(30, 32) + digest.slice(28, 30), 16)

/** `a7/9c` for a number of a hash directory. */
export function dirName(dir: number): string {
  const hex = dir.toString(16).padStart(4, '0')
  return join(hex.slice(0, 2), hex.slice(2, 4))
}
