import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { WalkDepth } from '../contract.ts'
import { DirectoryPass } from './directory-pass.ts'
import { BatchBuilder, type FoundBatch } from './found-batch.ts'
import { readQuietHead } from '../format/head-file.ts'
import { KeyReader } from './identify.ts'
import { dirName } from '../format/key.ts'
import { diskPhrase, entriesOf, entryKind, hasCode } from './tree.ts'

/** Hash directories of a tree that the index knows nothing of. */
export interface ReadRequest {
  treePath: string
  dirs: number[]
  depth: WalkDepth
  /** The time that ages of files are told by. */
  nowMs: number
}

/** Reads directories that the index does not know. Writes nothing, so that any thread may do it. */
export class NewDirectories {
  readonly #keys = new KeyReader()
  readonly #batch = new BatchBuilder()

  /** Never throws for what is on the disk. */
  read(request: ReadRequest): FoundBatch {
    const startMs = performance.now()
    for (const dir of request.dirs) this.#directory(dir, request)
    return this.#batch.take(performance.now() - startMs)
  }

  #directory(dir: number, { treePath, depth, nowMs }: ReadRequest): void {
    const path = join(treePath, dirName(dir))
    const batch = this.#batch
    const pass = new DirectoryPass([], { depth, keys: this.#keys, nowMs, counts: batch.counts })
    const nothing = { dir, mtimeMs: -1, files: 0, bytes: 0, isUnsettled: true }
    let mtimeMs: number
    let pieces
    try {
      const stats = lstatSync(path)
      if (!stats.isDirectory()) {
        batch.addDirectory({ ...nothing, outcome: 'gone' })
        return
      }
      mtimeMs = stats.mtimeMs
      pieces = entriesOf(path).filter((entry) => pass.isPiece(entryKind(path, dir, entry)))
    } catch (error) {
      const isGone = hasCode(error, 'ENOENT')
      if (!isGone) batch.problem ??= diskPhrase(error, path)
      batch.addDirectory({ ...nothing, outcome: isGone ? 'gone' : 'failed' })
      return
    }
    for (const { name } of pieces) {
      const finding = pass.found(name, readQuietHead(`${path}/${name}`, name))
      if (finding?.kind === 'row') batch.addFile(finding.row, finding.identity)
    }
    const { files, bytes, isUnsettled } = pass
    batch.addDirectory({ dir, outcome: 'read', mtimeMs, files, bytes, isUnsettled })
  }
}
