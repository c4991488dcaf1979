import { RewriteRefused } from './rewrite-refused.ts'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'the log directory or the file is not writable',
  EPERM: 'the log directory or the file is not writable',
  EROFS: 'the log directory is mounted read-only',
  ENOSPC: 'there is not enough space beside it for the new version',
  EDQUOT: 'there is not enough space beside it for the new version',
  ENOENT: 'it no longer exists',
  EBUSY: 'it is in use and cannot be replaced; mount its directory, not the file',
  EXDEV: 'it is mounted as a single file; mount its directory instead',
}

/** Why a file could not be changed, without paths; null: not because of the file. */
export function refusalOf(error: unknown): string | null {
  if (error instanceof RewriteRefused) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : null
  if (code === null || !('syscall' in (error as object))) return null
  return reasons[code] ?? `the system reported ${code}`
}
