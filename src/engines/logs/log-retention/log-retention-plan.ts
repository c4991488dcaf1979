import type { LogRetentionAction, LogRetentionPolicy } from './wire.ts'

/** Facts from which a file's action is decided. */
export interface LogRetentionFacts {
  name: string
  bytes: number
  modifiedMs: number
  /** Creation time; 0 when the file system does not report it. */
  bornMs: number
  isCurrent: boolean
  isCompressed: boolean
  /** All of its lines were counted. */
  isCounted: boolean
}

const dayMs = 86_400_000
const mebibyte = 1024 * 1024
const gibibyte = 1024 * mebibyte

/** Actions for the files of one datasource, which are sorted oldest first. */
export function planOf(
  policy: LogRetentionPolicy,
  files: readonly LogRetentionFacts[],
  at: { nowMs: number; canRotate: boolean; isShipped: boolean },
): LogRetentionAction[] {
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const actions: LogRetentionAction[] = []
  for (const file of files) {
    const action = actionFor(policy, file, { ...at, bytes })
    if (action === 'delete') bytes -= file.bytes
    actions.push(action)
  }
  return actions
}

function actionFor(
  policy: LogRetentionPolicy,
  file: LogRetentionFacts,
  at: { nowMs: number; canRotate: boolean; isShipped: boolean; bytes: number },
): LogRetentionAction {
  if (file.isCurrent)
    return at.canRotate && isRotationDue(policy, file, at.nowMs) ? 'rotate' : 'none'
  if (!file.isCounted) return 'none'
  const isOld = policy.keepDays !== null && at.nowMs - file.modifiedMs > policy.keepDays * dayMs
  const isTooMuch = policy.keepGib !== null && at.bytes > policy.keepGib * gibibyte
  if (at.isShipped && (isOld || isTooMuch)) return 'delete'
  return policy.compresses && !file.isCompressed && file.bytes > 0 ? 'compress' : 'none'
}

function isRotationDue(
  policy: LogRetentionPolicy,
  file: LogRetentionFacts,
  nowMs: number,
): boolean {
  const { rotateAboveMib, rotateAfterDays } = policy
  if (file.bytes === 0) return false
  if (rotateAboveMib !== null && file.bytes > rotateAboveMib * mebibyte) return true
  return (
    rotateAfterDays !== null && file.bornMs > 0 && nowMs - file.bornMs > rotateAfterDays * dayMs
  )
}
