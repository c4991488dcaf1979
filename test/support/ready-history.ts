import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHistory } from '../../db/history/create.ts'
import { credentialsPath } from '../../db/history/credentials.ts'
import { readConfig } from '../../src/core/config.ts'
import { untilState } from './postgres.ts'
import { quietLog } from './quiet-log.ts'

/** Names the data folder that `shareReadyHistory` made in another process. */
const readyFolder = 'LARDER_TEST_HISTORY'

/**
 * Makes a data folder whose private server was set up and stopped, for all services that test
 * processes start; setting one up takes seconds of computing. Returns how to remove it.
 */
export async function shareReadyHistory(): Promise<() => void> {
  const dataPath = mkdtempSync(join(tmpdir(), 'larder-history-'))
  // As root, the server runs under another account, which must have access.
  chmodSync(dataPath, 0o755)
  const history = createHistory(readConfig({ DATA_PATH: dataPath }), quietLog)
  history.start()
  await untilState(history, 'ready')
  await history.stop()
  process.env[readyFolder] = dataPath
  return () => rmSync(dataPath, { recursive: true, force: true })
}

/**
 * Copies the private server of `shareReadyHistory` into a new data folder, with its owner; nothing
 * where none was made.
 */
export function copyReadyHistory(dataPath: string): void {
  const ready = process.env[readyFolder]
  const [from, to] = [join(ready ?? '', 'postgres'), join(dataPath, 'postgres')]
  if (ready === undefined || existsSync(to)) return
  mkdirSync(join(dataPath, 'config'), { recursive: true })
  const { exitCode, stderr } = Bun.spawnSync(['cp', '-a', from, to])
  if (exitCode !== 0) throw new Error(stderr.toString())
  cpSync(credentialsPath(ready), credentialsPath(dataPath))
}
