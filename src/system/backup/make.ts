import { rmSync } from 'node:fs'
import { basename } from 'node:path'
import { version } from '../../core/lib/version.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import type { MakeProgress } from '../../engines/backup/contract.ts'
import { EngineFailure } from '../../engines/host.ts'
import type { SystemParts } from '../parts.ts'
import type { SnapshotFiles } from './files.ts'
import type { SnapshotKind } from './model.ts'

export type MakeParts = Pick<
  SystemParts,
  'backup' | 'clock' | 'config' | 'history' | 'log' | 'logs'
>

const awayText = 'The history database is unavailable: a snapshot without it would be incomplete'

/** Percentages of a job's part. */
interface Span {
  from: number
  to: number
}

export function reporter(context: OperationContext, { from, to }: Span) {
  return ({ bytes, totalBytes }: { bytes: number; totalBytes: number }) => {
    const share = totalBytes === 0 ? 0 : Math.min(1, bytes / totalBytes)
    context.report({
      percentComplete: from + share * (to - from),
      context: { bytes, totalBytes },
    })
  }
}

/** Makes one snapshot; resolves to its name. Rejects with EngineFailure. */
export async function make(
  { backup, clock, config, history, log, logs }: MakeParts,
  files: SnapshotFiles,
  { kind, context, span }: { kind: SnapshotKind; context: OperationContext; span: Span },
): Promise<string> {
  if (history.status().state !== 'ready') throw new EngineFailure(awayText)
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
export async function ending(
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
