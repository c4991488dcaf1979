/** Bytes as they come from a connection, in parts of this size. */
export async function* arriving(bytes: Buffer, partBytes = 1000): AsyncGenerator<Buffer> {
  await Promise.resolve()
  for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes)
}
