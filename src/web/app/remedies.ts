import type { SourceProblem } from '../../engines/logs/wire.ts'
import { type Key, remedy, type Values } from '../locales/translate.ts'
import { api, keys } from '../api/client.ts'
import { useAccountRead } from '../api/queries.ts'

/** Why a log folder is not read. */
export const logProblems: Readonly<
  Record<Exclude<SourceProblem, 'none'> | 'node_away', { label: Key; remedy: Key }>
> = {
  missing_directory: { label: 'health.missingDirectory', remedy: 'remedy.missingDirectory' },
  permission_denied: { label: 'health.permissionDenied', remedy: 'remedy.permissionDenied' },
  node_away: { label: 'logs.nodeAway', remedy: 'remedy.nodeAway' },
  no_sources: { label: 'health.noSources', remedy: 'remedy.noSources' },
  unreadable_file: { label: 'health.unreadableFile', remedy: 'remedy.unreadableFile' },
  too_many_files: { label: 'health.tooManyFiles', remedy: 'remedy.tooManyFiles' },
}

/** Translates texts with remedies as they fit how Larder runs. */
export function useRemedies(): (key: Key, values?: Values) => string {
  const { data } = useAccountRead(keys.service, api.ext.status.get, { staleTime: Infinity })
  return (key, values) => remedy(key, data?.isInContainer ?? true, values)
}
