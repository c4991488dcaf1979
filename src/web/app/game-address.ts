import type { Download, DownloadRow } from '../api/queries.ts'

type GroupedRow = Pick<DownloadRow, 'id' | 'service'>

/** The same for a single download; null while its game is unknown. */
export function gameOfDownload(
  download: Pick<Download, 'service' | 'gameName' | 'gameAppId' | 'betaAppId'>,
): { service: string; id: string } | null {
  const { service, gameName, gameAppId, betaAppId } = download
  if (gameAppId) return { service, id: `app-${gameAppId}` }
  if (betaAppId) return { service, id: `beta-${betaAppId}` }
  return gameName === null ? null : { service, id: `name-${gameName.toLowerCase()}` }
}

/** Path of a game: the server's row identifier without its service. */
export function gameAddress({ id, service }: GroupedRow): { service: string; id: string } {
  const prefix = `${service}-`
  return { service, id: id.startsWith(prefix) ? id.slice(prefix.length) : id }
}
