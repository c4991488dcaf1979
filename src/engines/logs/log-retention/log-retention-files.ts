import { lstatSync, readdirSync, renameSync } from 'node:fs'
import { basename } from 'node:path'
import type { OpenFolder } from '../../../core/lib/open-folder.ts'
import { takeTurns } from '../../../core/lib/pause.ts'
import { openSource, PlainSource, type Compression } from '../files/byte-source.ts'
import type { LogFile } from '../files/discovery.ts'
import { readName } from '../files/discovery.ts'
import { openLogFolder, unlinkLog } from '../changes/log-folder.ts'
import { Packer } from '../changes/packer.ts'
import { RemovalCancelled, type RemovalHost } from '../changes/remove-from-file.ts'
import { RewriteRefused } from '../changes/rewrite-refused.ts'
import { checkRegular, syncDirectory, TemporaryFile } from '../changes/rewrite.ts'

const blockBytes = 1024 * 1024

/** Renames a file to number 1 and increments existing numbers, the oldest first. */
export function rotate(path: string, stem: string): void {
  checkRegular(path)
  const folder = openLogFolder(path)
  try {
    rotateIn(folder, basename(path), stem)
  } finally {
    folder.close()
  }
  syncDirectory(path)
}

function rotateIn(folder: OpenFolder, own: string, stem: string): void {
  const numbered = readdirSync(folder.pathOf(''))
    .map((name) => ({ name, parts: /^(.*)\.(\d{1,9})(\.gz|\.zst)?$/.exec(name) }))
    .filter(({ name }) => readName(name)?.stem === stem)
    .flatMap(({ name, parts }) =>
      parts === null ? [] : [{ name, number: Number(parts[2]), extension: parts[3] ?? '' }],
    )
    .toSorted((a, b) => b.number - a.number)
  const taken = new Set(numbered.map(({ number }) => number))
  // Numbers after a gap may stay as they are.
  let gap = 1
  while (taken.has(gap)) gap++
  for (const { name, number, extension } of numbered) {
    if (number > gap) continue
    renameSync(folder.pathOf(name), folder.pathOf(`${own}.${number + 1}${extension}`))
  }
  renameSync(folder.pathOf(own), folder.pathOf(`${own}.1`))
}

/** Size and digest of a file's decompressed content. Throws RewriteRefused when it is truncated. */
async function contentOf(
  file: { path: string; compression: Compression },
  isCancelled: () => boolean,
  add: (bytes: Uint8Array) => void | Promise<void> = () => {},
): Promise<{ size: number; digest: string }> {
  const source = openSource(file.path, file.compression)
  const hasher = new Bun.CryptoHasher('sha256')
  const buffer = new Uint8Array(blockBytes)
  let size = 0
  try {
    for (;;) {
      const length = await source.read(buffer, size)
      if (length === 0) break
      const block = buffer.subarray(0, length)
      hasher.update(block)
      size += length
      await add(block)
      if (isCancelled()) throw new RemovalCancelled()
      await takeTurns()
    }
    if (!(source instanceof PlainSource) && 'error' in source && source.error !== null) {
      throw new RewriteRefused('its compressed copy cannot be read')
    }
    return { size, digest: hasher.digest('hex') }
  } finally {
    source.close()
  }
}

/**
 * Compresses a file that is no longer written to, verifies the result, and only then deletes the
 * original. Reuses a copy left by a crash if its content is the same. Returns the new size on disk.
 */
export async function compress(
  host: RemovalHost,
  file: LogFile,
  isCancelled: () => boolean,
): Promise<number> {
  checkRegular(file.path)
  const target = `${file.path}.zst`
  const packed = { path: target, compression: 'zstd' as const }
  if (lstatSync(target, { throwIfNoEntry: false }) === undefined) {
    const temporary = new TemporaryFile(file.path, file)
    const packer = new Packer(temporary, 'zstd')
    let isPlaced = false
    try {
      const original = await contentOf(file, isCancelled, (block) => packer.add(block))
      await packer.finish()
      temporary.sync()
      temporary.setTimes(file.modifiedMs)
      const again = await contentOf({ ...packed, path: temporary.path }, isCancelled)
      if (!Bun.deepEquals(again, original))
        throw new RewriteRefused('its compressed copy differs from it')
      renameSync(temporary.path, temporary.beside('.zst'))
      isPlaced = true
    } finally {
      packer.stop()
      if (isPlaced) temporary.close()
      else temporary.discard()
    }
  }
  const [original, copy] = [
    await contentOf(file, isCancelled),
    await contentOf(packed, isCancelled),
  ]
  if (!Bun.deepEquals(original, copy)) {
    throw new RewriteRefused('another file has the name of its compressed copy')
  }
  await host.between(() => {
    const { ino, size } = lstatSync(file.path)
    if (String(ino) !== file.inode || size !== copy.size) throw new RewriteRefused('it was changed')
    unlinkLog(file.path, file)
    syncDirectory(file.path)
  })
  return lstatSync(target).size
}
