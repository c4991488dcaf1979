import { sharedStem } from '../lines/service-name.ts'
import { refusalOf } from './refusal.ts'
import { freshFiles } from './removal.ts'
import type { DeletionOutcome } from './removal-contract.ts'
import type { RemovalHost } from './remove-from-file.ts'
import { deleteMember } from './replace.ts'
import { checkRegular, syncDirectory } from './rewrite.ts'

/**
 * Deletes a datasource's log files: in a shared layout the current one, else every file of every
 * series. Unread lines of a plain file are still read and counted.
 */
export async function deleteLogs(host: RemovalHost, datasource: string): Promise<DeletionOutcome> {
  const outcome: DeletionOutcome = { filesDeleted: 0, bytes: 0, refused: [] }
  const files = await freshFiles(host, datasource)
  const isShared = files.every(({ stem }) => stem === sharedStem)
  for (const file of files) {
    const { name, path, size } = file
    if (isShared && name.toLowerCase() !== sharedStem) continue
    try {
      checkRegular(path)
      await host.between(() => {
        const source = host.ingest.sources.find(({ config }) => config.name === datasource)
        if (source !== undefined) deleteMember(host.ingest, source, file)
        syncDirectory(path)
      })
      outcome.filesDeleted++
      outcome.bytes += size
    } catch (error) {
      const reason = refusalOf(error)
      if (reason === null) throw error
      outcome.refused.push({ file: name, reason })
    }
  }
  return outcome
}
