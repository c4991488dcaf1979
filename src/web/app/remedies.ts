import type { SourceProblem } from '../../engines/logs/wire.ts'
import type { Key } from '../locales/translate.ts'

/** Remedies that differ outside of a container, where there is no mount, PUID or PGID. */
const onHost = {
  'cache.gateMissingFix': 'cache.gateMissingFixOnHost',
  'cache.gateReadOnlyFix': 'cache.gateReadOnlyFixOnHost',
  'cache.gateUnreadableFix': 'cache.gateUnreadableFixOnHost',
  'datasource.cacheReadOnly': 'datasource.cacheReadOnlyOnHost',
  'datasource.logsReadOnly': 'datasource.logsReadOnlyOnHost',
  'datasource.missing': 'datasource.missingOnHost',
  'datasource.noneText': 'datasource.noneTextOnHost',
  'datasource.unreadable': 'datasource.unreadableOnHost',
  'logs.readOnlyFix': 'logs.readOnlyFixOnHost',
  'remedy.cachePath': 'remedy.cachePathOnHost',
  'remedy.missingDirectory': 'remedy.missingDirectoryOnHost',
  'remedy.noCache': 'remedy.noCacheOnHost',
  'remedy.noLog': 'remedy.noLogOnHost',
  'remedy.permissionDenied': 'remedy.permissionDeniedOnHost',
  'remedy.readOnly': 'remedy.readOnlyOnHost',
} as const satisfies Partial<Record<Key, Key>>

const differs = (key: Key): key is keyof typeof onHost => key in onHost

export const remedyKey = (key: Key, isInContainer: boolean): Key =>
  differs(key) && !isInContainer ? onHost[key] : key

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
