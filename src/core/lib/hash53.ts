const hash = new BigUint64Array(1)
/** Its low half and its high half: arithmetic of large integers costs as much as the hash. */
const halves = new Uint32Array(hash.buffer)

/** 53 bits of XXH64, which is the same in every version and on every machine. */
export function hash53(bytes: string | Uint8Array): number {
  hash[0] = Bun.hash.xxHash64(bytes)
  return ((halves[1] as number) & 0x1f_ffff) * 2 ** 32 + (halves[0] as number)
}
