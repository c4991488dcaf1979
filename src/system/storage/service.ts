import type { SystemParts } from '../parts.ts'
import { parseSize } from '../../core/lib/size.ts'
import { isAccountHolder, type Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import { hasContainerEngine } from '../../cache/contract.ts'
import type {
  CacheSizeBody,
  CacheSizeSaved,
  DirectoryPermission,
  SystemPermissions,
} from './model.ts'

/** Accepted spellings for filling the whole disk. */
const wholeDisk = /^full(?:[-_ ]?disk)?$/i

/** Null removes the limit. Throws `invalid`. */
function limitOf(size: CacheSizeBody['size']): number | 'fullDisk' | null {
  if (size === null || size === undefined) return null
  const text = String(size).trim()
  if (text === '') return null
  if (wholeDisk.test(text)) return 'fullDisk'
  const bytes = parseSize(text)
  if (bytes === null || !Number.isSafeInteger(bytes)) {
    throw new AppError('invalid', 'size: use bytes, or a number with k, m, g or t, such as 500g')
  }
  return bytes === 0 ? null : bytes
}

/** Sets how large a datasource's cache may become; throws `notFound`, `invalid`. */
export async function saveCacheSize(
  { datasources, disk }: Pick<SystemParts, 'datasources' | 'disk'>,
  name: string,
  size: CacheSizeBody['size'],
): Promise<CacheSizeSaved> {
  const { name: known } = await datasources.facts(name)
  disk.setLimit(known, limitOf(size))
  const { overrideBytes, resolvedBytes, source } = await disk.limit(known)
  return {
    name: known,
    cacheSizeOverrideBytes: overrideBytes,
    resolvedCacheSizeBytes: resolvedBytes,
    cacheSizeSource: source,
  }
}

/** Throws `invalid` for a mode whose program is not installed. */
export function saveDeleteMode(
  { settings, disk }: Pick<SystemParts, 'settings' | 'disk'>,
  deleteMode: 'preserve' | 'full' | 'rsync' = 'preserve',
) {
  if (deleteMode === 'rsync' && !disk.hasRsync()) {
    throw new AppError('invalid', 'rsync is not installed where the service runs')
  }
  settings.set('cache.deleteMode', deleteMode)
  return { message: 'The deletion method was saved', deleteMode }
}

const nothing: DirectoryPermission = { path: '', exists: false, writable: false, readOnly: false }

const permission = (path: string, problem: string, writable: boolean): DirectoryPermission => ({
  path,
  exists: problem !== 'missing',
  writable,
  readOnly: problem !== 'missing' && !writable,
})

/** The first datasource's folders and the container engine; guests get no paths. */
export async function systemPermissions(
  { config, datasources }: Pick<SystemParts, 'config' | 'datasources'>,
  caller: Caller,
): Promise<SystemPermissions> {
  const containerSocket = { available: hasContainerEngine(config) }
  const [first] = config.datasources
  if (first === undefined) return { cache: nothing, logs: nothing, containerSocket }
  const facts = await datasources.facts(first.name)
  const shown = (path: string) => (isAccountHolder(caller) ? path : '')
  return {
    cache: permission(shown(facts.cachePath), facts.cacheProblem, facts.canWriteCache),
    logs: permission(shown(facts.logPath), facts.logProblem, facts.canWriteLogs),
    containerSocket,
  }
}
