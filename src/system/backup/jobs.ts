import type { OperationContext, Queued } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import type { SystemParts } from '../parts.ts'
import { dropUnfinished } from './apply.ts'
import type { SnapshotFiles } from './files.ts'
import { ending, make, reporter, type MakeParts } from './make.ts'
import type { SnapshotKind } from './model.ts'

export type JobParts = MakeParts &
  Pick<SystemParts, 'operations' | 'restart' | 'settings' | 'timers'>

/** Browsers learn how the job ended before their sockets are closed. */
const restartAfterMs = 1000

/** The two jobs: making a snapshot, and preparing a restore, which ends with a restart. */
export function createBackupJobs(parts: JobParts, files: SnapshotFiles) {
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
