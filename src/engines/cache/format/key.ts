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

/** `00` to `ff`: the names of the directories of one level. */
export const levelNames: readonly string[] = Array.from({ length: 256 }, (_, number) =>
  number.toString(16).padStart(2, '0'),
)

export const levelNumbers: ReadonlyMap<string, number> = new Map(
  levelNames.map((name, number) => [name, number]),
)

/** `a7/9c` for a number of a hash directory. */
export const dirName = (dir: number): string => `${levelNames[dir >>> 8]}/${levelNames[dir & 0xff]}`
