import type { WalkDepth } from '../contract.ts'
import { DirectoryPass } from './directory-pass.ts'
import { BatchBuilder, type IndexBatch } from './index-batch.ts'
import { KeyReader } from './identify.ts'
import { disks, readDirectory } from './read-directory.ts'

/** Stands for the mtime of a directory that was never read. */
const unknownMs = -2

/** Hash directories of a tree that are not in the index yet. */
export interface ReadRequest {
  treePath: string
  dirs: number[]
  depth: WalkDepth
  /** The time from which file ages are computed. */
  nowMs: number
}

/** Reads directories that are not in the index yet. Writes nothing, so any thread may use it. */
export class NewDirectories {
  readonly #keys = new KeyReader()
  readonly #batch = new BatchBuilder()

  /** Never throws for disk errors. */
  read(request: ReadRequest): IndexBatch {
    const startMs = performance.now()
    for (const dir of request.dirs) this.#directory(dir, request)
    return this.#batch.take(performance.now() - startMs)
  }

  #directory(dir: number, { treePath, depth, nowMs }: ReadRequest): void {
    const batch = this.#batch
    const how = { depth, keys: this.#keys, nowMs, counts: batch.counts }
    const pass = () => new DirectoryPass([], how)
    const reading = readDirectory(disks.waiting, { treePath, dir, knownMs: unknownMs, depth, pass })
    let step = reading.next()
    for (; step.done !== true; step = reading.next()) {
      const finding = step.value
      if (finding === null || !('kind' in finding) || finding.kind !== 'row') continue
      batch.addFile(finding.row, finding.identity)
    }
    const outcome = step.value
    if (outcome.kind === 'read') {
      const { files, bytes, isUnsettled } = outcome.pass
      const { mtimeMs } = outcome
      batch.addDirectory({ dir, outcome: 'read', mtimeMs, files, bytes, isUnsettled })
      return
    }
    const isFailed = outcome.kind === 'failed'
    if (isFailed) batch.problem ??= outcome.problem
    const nothing = { dir, mtimeMs: -1, files: 0, bytes: 0, isUnsettled: true }
    batch.addDirectory({ ...nothing, outcome: isFailed ? 'failed' : 'gone' })
  }
}
