import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import type { HistoryTarget } from '../../db/history/connect.ts'
import { openState } from '../../db/state/open.ts'
import { stagedFolder, type Manifest } from '../../src/engines/backup/contract.ts'
import { stageSnapshot } from '../../src/engines/backup/stage.ts'
import { makeSnapshot } from '../../src/engines/backup/make.ts'
import { restoreHistory } from '../../src/engines/backup/restore-history.ts'
import { tempFolder } from './temp-folder.ts'

const passive = { progress() {}, isCancelled: () => false }

/** Replaces one history by another with a snapshot, as an operator would. */
export async function copyHistory(from: HistoryTarget, into: Sql): Promise<void> {
  const folder = tempFolder('copy-history')
  const dataPath = join(folder, 'data')
  mkdirSync(dataPath)
  openState(dataPath).close()
  const file = join(folder, 'snapshot')
  await makeSnapshot({ dataPath, file, version: '1.0.0', history: from }, passive)
  await stageSnapshot({ file, dataPath: folder }, passive)
  const staged = stagedFolder(folder)
  // Written by `stageSnapshot`.
  const manifest = JSON.parse(readFileSync(join(staged, 'manifest.json'), 'utf8')) as Manifest
  await restoreHistory(into, staged, manifest)
}
