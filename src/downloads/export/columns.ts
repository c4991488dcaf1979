import type { ClientDevice } from '../../clients/contract.ts'
import type { Download } from '../downloads/model.ts'
import type { ClientStats } from '../stats/model.ts'
import type { Column } from './formats.ts'

/** A download in an export. */
export const downloadColumns = [
  { heading: 'id', key: 'id' },
  { heading: 'service', key: 'service' },
  { heading: 'client IP', key: 'clientIp' },
  { heading: 'start', key: 'startTimeUtc' },
  { heading: 'end', key: 'endTimeUtc' },
  { heading: 'hit bytes', key: 'cacheHitBytes' },
  { heading: 'miss bytes', key: 'cacheMissBytes' },
  { heading: 'total', key: 'totalBytes' },
  { heading: 'hit %', key: 'cacheHitPercent' },
  { heading: 'active', key: 'isActive' },
  { heading: 'game name', key: 'gameName' },
  { heading: 'app id', key: 'gameAppId' },
  { heading: 'duration s', key: 'durationSeconds' },
  { heading: 'average bytes/s', key: 'averageBytesPerSecond' },
  { heading: 'depot id', key: 'depotId' },
  { heading: 'beta app id', key: 'betaAppId' },
  { heading: 'evicted', key: 'isEvicted' },
  { heading: 'datasource', key: 'datasource' },
] as const satisfies readonly Column<Download>[]
export type ExportedDownload = Pick<Download, (typeof downloadColumns)[number]['key']>

export type ExportedClient = Omit<ClientStats, 'groupMemberIps'> & {
  /** Addresses of a group shown as one row, separated by spaces. */
  groupMemberIps: string | null
  /** What kind of device it is; null for groups and where it is not known. */
  device: ClientDevice['kind'] | null
}

export const clientColumns: readonly Column<ExportedClient>[] = [
  { heading: 'client IP', key: 'clientIp' },
  { heading: 'name', key: 'displayName' },
  { heading: 'group id', key: 'groupId' },
  { heading: 'is group', key: 'isGrouped' },
  { heading: 'group members', key: 'groupMemberIps' },
  { heading: 'downloads', key: 'totalDownloads' },
  { heading: 'failed requests', key: 'failedRequests' },
  { heading: 'hit bytes', key: 'totalCacheHitBytes' },
  { heading: 'miss bytes', key: 'totalCacheMissBytes' },
  { heading: 'total', key: 'totalBytes' },
  { heading: 'hit %', key: 'cacheHitPercent' },
  { heading: 'duration s', key: 'totalDurationSeconds' },
  { heading: 'average bytes/s', key: 'averageBytesPerSecond' },
  { heading: 'last activity', key: 'lastActivityUtc' },
  { heading: 'device', key: 'device' },
]
