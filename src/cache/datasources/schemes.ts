import type { DatasourceConfig } from '../../core/config.ts'
import type { LogFolderFacts } from '../../engines/disk/contract.ts'
import type { KeyScheme } from './contract.ts'

/** A datasource's key scheme: the override, else the one its logs suggest. */
export function schemeOf(
  override: DatasourceConfig['schemeOverride'],
  logs: LogFolderFacts | null,
) {
  if (override !== 'auto') return override
  if (logs === null) return 'unknown'
  if (logs.hasShared && logs.hasPerService) return 'mixed'
  if (logs.hasShared) return 'monolithic'
  return logs.hasPerService ? 'bare_metal' : 'unknown'
}

/** Why work on single objects is refused, as a message; null when it is allowed. */
export function denialOf(name: string, scheme: KeyScheme): string | null {
  if (scheme === 'mixed') {
    return (
      `The datasource ${name} has logs of both layouts, so the keys of its cache are not known; ` +
      'keep one of them there, or set its SchemeOverride'
    )
  }
  if (scheme === 'unknown') {
    return (
      `The datasource ${name} has no access log, so the keys of its cache are not known; ` +
      'check its log folder, or set its SchemeOverride'
    )
  }
  return null
}
