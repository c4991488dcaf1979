import type { SourceProblem } from '../../engines/logs/wire.ts'
import type { Key } from '../locales/translate.ts'

/** Why a log folder is not read. */
export const logProblems: Readonly<
  Record<Exclude<SourceProblem, 'none'>, { label: Key; remedy: Key }>
> = {
  missing_directory: { label: 'health.missingDirectory', remedy: 'remedy.missingDirectory' },
  permission_denied: { label: 'health.permissionDenied', remedy: 'remedy.permissionDenied' },
  no_sources: { label: 'health.noSources', remedy: 'remedy.noSources' },
  unreadable_file: { label: 'health.unreadableFile', remedy: 'remedy.unreadableFile' },
  too_many_files: { label: 'health.tooManyFiles', remedy: 'remedy.tooManyFiles' },
}
