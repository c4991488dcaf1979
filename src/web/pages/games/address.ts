import type { DownloadRow } from '../../api/wire.ts'

type GroupedRow = Pick<DownloadRow, 'id' | 'service'>

/** Address of a game: the identity that the server gives a grouped row, without its service. */
export function gameAddress({ id, service }: GroupedRow): { service: string; id: string } {
  const prefix = `${service}-`
  return { service, id: id.startsWith(prefix) ? id.slice(prefix.length) : id }
}
