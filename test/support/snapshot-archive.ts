import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { extract, pack } from 'tar-stream'
import type { Contents } from '../../src/engines/backup/contract.ts'

/** Name and content of an entry. */
export type ArchiveEntry = readonly [string, Buffer | string]

async function bytesOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) if (chunk instanceof Uint8Array) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export async function readArchive(path: string): Promise<[string, Buffer][]> {
  const entries: [string, Buffer][] = []
  const tar = extract()
  tar.end(Bun.zstdDecompressSync(readFileSync(path)))
  for await (const entry of tar) entries.push([entry.header.name, await bytesOf(entry)])
  return entries
}

/** The same with the list that a complete snapshot ends with, in place of its own. */
export function listed(entries: readonly ArchiveEntry[]): ArchiveEntry[] {
  const rest = entries.filter(([name]) => name !== 'end.json')
  const parts = rest.map(([name, content]) => {
    const bytes = Buffer.from(content)
    return { name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  })
  return [...rest, ['end.json', JSON.stringify({ parts } satisfies Contents)]]
}

/** Writes a compressed archive; names may be such as no plain header has room for. */
export async function writeArchive(path: string, entries: readonly ArchiveEntry[]) {
  const tar = pack()
  for (const [name, content] of entries) tar.entry({ name, pax: {} }, content)
  tar.finalize()
  writeFileSync(path, Bun.zstdCompressSync(await bytesOf(tar)))
}
