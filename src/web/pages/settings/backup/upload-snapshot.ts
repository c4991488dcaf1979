import { ownHeaders } from '../../../api/eden.ts'
import { Refusal } from '../../../api/refusal.ts'

/** Bytes of one piece: the server takes no larger bodies. */
const pieceBytes = 1024 * 1024

/** Sends a file in pieces, one after the other; `progress` gets the share that has arrived. */
export async function uploadSnapshot(file: File, progress: (share: number) => void): Promise<void> {
  for (let offset = 0; offset < file.size; offset += pieceBytes) {
    const body = new FormData()
    body.append('file', file.slice(offset, offset + pieceBytes), 'piece')
    body.append('offset', String(offset))
    body.append('total', String(file.size))
    const headers = ownHeaders()
    const response = await fetch('/api/ext/backups/upload', { method: 'POST', headers, body })
    if (!response.ok) {
      const answer: unknown = await response.json().catch(() => null)
      throw new Refusal(response.status, answer, response.headers.get('Retry-After'))
    }
    progress(Math.min(1, (offset + pieceBytes) / file.size))
  }
}
