import { appendFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AppError } from '../../core/http/errors.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { freeBytes } from '../../engines/backup/space.ts'
import type { BackupEngine } from '../../engines/backup/contract.ts'
import type { SnapshotFiles } from './files.ts'
import { uploadBytesMax } from './model.ts'

interface Place {
  /** Bytes before this piece. */
  offset: number
  /** Bytes of the whole file. */
  total: number
}

/** Takes snapshots in parts, straight to the disk; one at a time. */
export function createUpload(files: SnapshotFiles, clock: Clock, backup: BackupEngine) {
  const path = () => join(files.prepared(), 'upload.part')
  const lengthOf = () => statSync(path(), { throwIfNoEntry: false })?.size ?? 0

  /** Throws when the piece does not continue the file, or the disk is too small for it. */
  function append(piece: Uint8Array, { offset, total }: Place): number {
    if (total > uploadBytesMax || offset + piece.length > total || piece.length === 0) {
      throw new AppError('invalid', 'The file is larger than announced, or than 64 GiB')
    }
    if (offset === 0) rmSync(path(), { force: true })
    if (offset === 0 && total > freeBytes(files.folder)) {
      throw new AppError('tooLarge', 'The disk of the data folder is too small for this file')
    }
    if (lengthOf() !== offset) {
      const extra = { received: lengthOf() }
      throw new AppError('conflict', 'The upload does not continue here: begin again', { extra })
    }
    appendFileSync(path(), piece, { mode: 0o600 })
    return offset + piece.length
  }

  return {
    /** Takes the next piece; the last one makes it a snapshot, after all of it was read. */
    async receive(piece: Uint8Array, place: Place) {
      const received = append(piece, place)
      if (received < place.total) return { received, name: null }
      const run = { signal: new AbortController().signal, progress() {} }
      await backup.check(path(), run).catch((error: unknown) => {
        rmSync(path(), { force: true })
        throw new AppError('invalid', error instanceof Error ? error.message : undefined)
      })
      const kept = files.place(clock.now(), 'uploaded')
      renameSync(path(), kept)
      return { received, name: basename(kept) }
    },
  }
}
