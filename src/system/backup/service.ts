import { rmSync, appendFileSync, renameSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { HistoryUnavailable } from '../../../db/history/history.ts'
import type { Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import type { Queued, OperationContext, OperationResult } from '../../core/operations/contract.ts'
import { freeBytes } from '../../engines/backup/space.ts'
import { named } from '../../core/operations/names.ts'
import { version } from '../../core/lib/version.ts'
import type { MakeProgress, BackupEngine } from '../../engines/backup/contract.ts'
import { EngineFailure } from '../../engines/host.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { SystemParts } from '../parts.ts'
import { createSnapshotFiles, type SnapshotFiles } from './files.ts'
import { lastRestore, lastUpdate } from './outcome.ts'
import { dropUnfinished } from './apply.ts'
import { type SnapshotKind, uploadBytesMax } from './model.ts'

interface Place {
  /** Bytes before this piece. */
  offset: number
  /** Bytes of the whole file. */
  total: number
}

/** Takes snapshots in parts, straight to the disk; one at a time. */
function createUpload(files: SnapshotFiles, clock: Clock, backup: BackupEngine) {
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

type MakeParts = Pick<SystemParts, 'backup' | 'clock' | 'config' | 'history' | 'log' | 'logs'>

const awayText = 'The history database is unavailable: a snapshot without it would be incomplete'

/** Percentages of a job's part. */
interface Span {
  from: number
  to: number
}

function reporter(context: OperationContext, { from, to }: Span) {
  return ({ bytes, totalBytes }: { bytes: number; totalBytes: number }) => {
    const share = totalBytes === 0 ? 0 : Math.min(1, bytes / totalBytes)
    context.report({
      percentComplete: from + share * (to - from),
      context: { bytes, totalBytes },
    })
  }
}

/** Makes one snapshot; resolves to its name. Rejects with EngineFailure. */
async function make(
  { backup, clock, config, history, log, logs }: MakeParts,
  files: SnapshotFiles,
  { kind, context, span }: { kind: SnapshotKind; context: OperationContext; span: Span },
): Promise<string> {
  if (history.status().state !== 'ready') throw new HistoryUnavailable(awayText)
  const file = files.place(clock.now(), kind)
  const report = reporter(context, span)
  let isHeld = true
  // Without a log engine nothing is sent either.
  const passive = (job: Promise<void>) => job.catch(() => {})
  const release = () => {
    if (!isHeld) return
    isHeld = false
    void passive(logs.releaseShipping())
  }
  await passive(logs.holdShipping())
  const progress = (made: MakeProgress) => {
    if (made.phase !== 'copying') release()
    report(made)
  }
  try {
    const request = { dataPath: config.dataPath, file, version, history: history.connection() }
    const { bytes, leftOut } = await backup.make(request, { signal: context.signal, progress })
    log.info({ file: basename(file), bytes }, 'a snapshot was made')
    if (leftOut.length > 0)
      log.warn({ leftOut }, 'files that do not belong to Larder were left out of the snapshot')
    return basename(file)
  } finally {
    release()
    // Where the job was killed.
    for (const end of ['.part', '.copies'])
      rmSync(`${file}${end}`, { recursive: true, force: true })
  }
}

/** Failures with a reason end a job; a cancelled one is no failure. */
async function ending(
  context: OperationContext,
  work: () => Promise<OperationResult>,
): Promise<OperationResult> {
  try {
    return await work()
  } catch (error) {
    if (context.signal.aborted) return { kind: 'cancelled' }
    if (!(error instanceof EngineFailure)) throw error
    return { kind: 'failed', error: error.message }
  }
}

type JobParts = MakeParts & Pick<SystemParts, 'operations' | 'restart' | 'settings' | 'timers'>

/** Browsers learn how the job ended before their sockets are closed. */
const restartAfterMs = 1000

/** The two jobs: making a snapshot, and preparing a restore, which ends with a restart. */
function createBackupJobs(parts: JobParts, files: SnapshotFiles) {
  const { backup, config, log, operations, settings, timers } = parts

  function snapshot(kind: SnapshotKind, isSilent: boolean): Queued {
    return operations.submit({
      type: 'backup',
      scope: 'bulk',
      ...named('backup'),
      isSilent,
      run: (context) =>
        ending(context, async () => {
          const name = await make(parts, files, { kind, context, span: { from: 0, to: 100 } })
          const pruned = kind === 'scheduled' ? files.prune(settings.get('backup.keep')) : []
          if (pruned.length > 0) log.info({ pruned }, 'old scheduled snapshots were deleted')
          return { kind: 'completed', context: { name } }
        }),
      kill: () => backup.kill(),
    })
  }

  async function prepareRestore(name: string, context: OperationContext) {
    const file = files.find(name)
    const halves = { before: { from: 0, to: 50 }, staging: { from: 50, to: 100 } }
    await make(parts, files, { kind: 'before-restore', context, span: halves.before })
    const run = { signal: context.signal, progress: reporter(context, halves.staging) }
    const { createdAt } = await backup
      .stage({ file, dataPath: config.dataPath }, run)
      .finally(() => dropUnfinished(config.dataPath))
    log.warn({ name }, 'a snapshot is ready to be restored; the service restarts')
    timers.after(restartAfterMs, () => parts.restart())
    return { kind: 'completed', context: { name, createdAt } } as const
  }

  return {
    snapshot,
    restore: (name: string): Queued =>
      operations.submit({
        type: 'restore',
        scope: 'bulk',
        variant: name,
        ...named('restore', { snapshot: name }),
        run: (context) => ending(context, () => prepareRestore(name, context)),
        kill: () => backup.kill(),
      }),
  }
}

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
        updateProblem: lastUpdate.read(config.dataPath)?.problem ?? null,
        lastRestore: lastRestore.read(config.dataPath),
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
