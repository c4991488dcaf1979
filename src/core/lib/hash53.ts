/** 53 bits of XXH64, which is the same in every version and on every machine. */
export const hash53 = (bytes: string | Uint8Array): number =>
  Number(BigInt.asUintN(53, Bun.hash.xxHash64(bytes)))
