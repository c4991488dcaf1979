import { DamagedStore } from '../db/damage.ts'
import { MigrationError } from '../db/migrate-sqlite.ts'
import { readConfig, type Config } from './core/config.ts'
import { isStorageFault } from './core/lib/storage-faults.ts'
import { serveDiagnosis } from './core/process/diagnosis.ts'
import type { Ending } from './core/process/ending.ts'
import { createLogger, type Logger } from './core/lib/log.ts'
import { RecentLog } from './core/lib/recent-log.ts'
import { SettingError, type Environment } from './core/lib/settings-reader.ts'
import { LostState } from './core/process/lost-state.ts'
import { installationKey } from './access/control.ts'
import { startService, type Replacements } from './service.ts'
import { StartRefused } from './core/process/start-refused.ts'

/** Between the answer to the page's question and the start. */
const answerMs = 500

/** `EX_CONFIG`: starting again changes nothing until an operator does something. */
const configurationExitCode = 78

function refuse(reason: string): never {
  process.stderr.write(`Larder cannot start: ${reason}\n`)
  return process.exit(configurationExitCode)
}

function configOrExit(environment: Environment): Config {
  try {
    return readConfig(environment)
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    return refuse(error.message)
  }
}

const fileCodes = new Set<unknown>(['EACCES', 'EDQUOT', 'ENOSPC', 'EROFS'])

/** Whether the disk or its permissions ended the start, which an operator can correct. */
const isUnwritable = (error: unknown): error is Error =>
  isStorageFault(error) || (error instanceof Error && 'code' in error && fileCodes.has(error.code))

/** Resolves to how to stop what was started: the service, or the page that says why it cannot run. */
async function start(
  config: Config,
  log: Logger,
  replaced: Replacements,
): Promise<() => Promise<void>> {
  try {
    const service = await startService(config, log, replaced)
    return () => service.stop()
  } catch (error) {
    if (error instanceof StartRefused) return refuse(error.message)
    if (error instanceof MigrationError || error instanceof DamagedStore) {
      log.fatal({ err: error }, 'a database cannot be used')
      return serveDiagnosis(config, error)
    }
    if (error instanceof LostState) {
      log.fatal({ reason: error.message }, 'the service waits for an answer')
      const key = installationKey(config, log)
      return serveDiagnosis(config, error, (answer) => {
        if (!key.matches(answer)) return false
        error.accept()
        // The browser learns that the key is right before its connection is closed.
        setTimeout(() => replaced.restart?.(), answerMs)
        return true
      })
    }
    if (isUnwritable(error)) {
      return refuse(`the data folder ${config.dataPath} cannot be used: ${error.message}`)
    }
    log.fatal({ err: error }, 'Larder cannot start')
    return process.exit(1)
  }
}

/** Runs the service, and again whenever it asks for a restart. Returns how to stop it for good. */
function keepRunning(
  config: Config,
  log: Logger,
  replaced: Replacements,
): Promise<() => Promise<void>> {
  let isStopping = false
  const again = () => {
    if (isStopping) return
    running = running.then(async (stop) => {
      await stop().catch((err: unknown) => log.error({ err }, 'stopping for a restart failed'))
      return begin()
    })
  }
  const begin = () => start(config, log, { ...replaced, restart: again })
  let running = begin()
  return running.then(() => async () => {
    isStopping = true
    const stop = await running
    await stop()
  })
}

/** Starts the service as this process. Ends the process when it cannot start. */
export function run(ending: Ending, environment: Environment): void {
  const config = configOrExit(environment)
  const recentLog = new RecentLog()
  const log = createLogger(config.logLevel, recentLog)
  const { unusedVariables: variables } = config
  if (variables.length > 0)
    log.warn({ variables }, 'variables without effect: see docs/settings.md')
  ending.reportThrough((error, text) => log.fatal({ err: error }, text))
  ending.stopsAfter(keepRunning(config, log, { recentLog }))
}
