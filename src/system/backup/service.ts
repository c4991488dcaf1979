import type { Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import type { Queued } from '../../core/operations/contract.ts'
import { freeBytes } from '../../engines/backup/space.ts'
import type { SystemParts } from '../parts.ts'
import { readUpdateNote } from './before-update.ts'
import { createSnapshotFiles } from './files.ts'
import { createBackupJobs, type JobParts } from './jobs.ts'
import { readOutcome } from './outcome.ts'
import { createUpload } from './upload.ts'

const serviceKey = 'backup'

type Parts = JobParts & Pick<SystemParts, 'checkKey' | 'noteBackup' | 'schedules'>

export type Backups = ReturnType<typeof createBackups>

/** Snapshots of all data: made, kept, sent, received, restored. */
export function createBackups(parts: Parts) {
  const { clock, config, log, schedules, settings } = parts
  const files = createSnapshotFiles(config.dataPath)
  const jobs = createBackupJobs(parts, files)
  const upload = createUpload(files, clock, parts.backup)

  /** With authentication off every visitor counts as the owner: that is not enough for secrets. */
  function requireProof(request: Request): void {
    if (config.security.isAuthenticationEnabled || parts.checkKey(request) === true) return
    const text = 'With authentication switched off this takes the installation key (X-Api-Key)'
    throw new AppError('refused', text)
  }

  return {
    start() {
      const left = files.tidy()
      if (left.length > 0) log.warn({ left }, 'an unfinished snapshot of the last run was removed')
      schedules.register({
        serviceKey,
        intervalHours: 0,
        runOnStartup: false,
        card: { notificationMode: 'manual', operationType: 'backup' },
        // Also when every service is run at once, by any account: such snapshots must not pile up.
        run: (_trigger, { isSilent }) => jobs.snapshot('scheduled', isSilent),
      })
    },
    requireProof,
    begin: () => jobs.snapshot('manual', false),
    list() {
      const folder = files.prepared()
      return {
        folder,
        freeBytes: freeBytes(folder),
        keep: settings.get('backup.keep'),
        snapshots: files.list(),
        updateProblem: readUpdateNote(config.dataPath)?.problem ?? null,
        lastRestore: readOutcome(config.dataPath),
      }
    },
    keep: (count: number) => settings.set('backup.keep', count),
    remove: (name: string) => files.remove(name),
    /** The path of a snapshot to send. Throws `notFound`. */
    sent(name: string, actor: Caller): string {
      const path = files.find(name)
      parts.noteBackup('BackupDownloaded', actor)
      return path
    },
    restore(name: string, actor: Caller): Queued {
      files.find(name)
      parts.noteBackup('RestoreStarted', actor)
      return jobs.restore(name)
    },
    receive: (piece: Uint8Array, place: Parameters<typeof upload.receive>[1]) =>
      upload.receive(piece, place),
  }
}
