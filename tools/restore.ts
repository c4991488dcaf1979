/**
 * `bun run restore FILE` while the service is stopped: puts a snapshot in place, in the data folder
 * and the database of the environment. `--replace` where there is data already.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { LockHeld } from '../db/lock.ts'
import { readConfig } from '../src/core/config.ts'
import { createLogger } from '../src/core/lib/log.ts'
import { lockDataFolder } from '../src/core/process/data-lock.ts'
import { StartRefused } from '../src/core/process/start-refused.ts'
import { stageSnapshot } from '../src/engines/backup/stage.ts'
import { applyRestore } from '../src/system/backup/apply.ts'
import { errorText } from '../src/core/lib/error-text.ts'

function fail(text: string): never {
  process.stderr.write(`${text}\n`)
  process.exit(1)
}

function lock(dataPath: string): () => void {
  try {
    return lockDataFolder(dataPath)
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error
    const advice = error.cause instanceof LockHeld ? '. Stop the service first.' : ''
    return fail(`Nothing was changed: ${error.message}${advice}`)
  }
}

const words = process.argv.slice(2)
const [name] = words.filter((word) => word !== '--replace')
if (name === undefined) fail('Name the snapshot: bun run restore FILE [--replace]')
const file = resolve(name)
if (!existsSync(file)) fail(`There is no file ${file}`)

const config = readConfig(process.env)
const { dataPath } = config
const unlock = lock(dataPath)
if (existsSync(join(dataPath, 'state.sqlite')) && !words.includes('--replace')) {
  fail(
    `Nothing was changed: ${dataPath} contains data. With --replace, all of it and the whole history ` +
      'are replaced by the snapshot.',
  )
}
process.stdout.write(`Checking ${file}\n`)
await stageSnapshot({ file, dataPath }, { progress() {}, isCancelled: () => false }).catch(
  (error: unknown) => fail(`Nothing was changed: ${errorText(error)}`),
)
process.stdout.write('Restoring\n')
const outcome = await applyRestore(config, createLogger('error'))
unlock()
if (outcome === null || outcome.problem !== null) {
  fail(`Nothing was changed: ${outcome?.problem ?? 'the snapshot is gone'}`)
}
process.stdout.write(`The snapshot of ${outcome.snapshotAt} was restored. Start the service.\n`)
process.exit(0)
