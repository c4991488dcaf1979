import { readConfig, type Config } from './config.ts'
import { serveDiagnosis } from './diagnosis.ts'
import { SettingError } from './lib/settings-reader.ts'
import { createLogger } from './lib/log.ts'
import { MigrationError } from '../db/migrate-sqlite.ts'
import { startService } from './service.ts'

/** How long a clean stop may take before the process ends anyway. */
const stopTimeoutMs = 20_000

function configOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    process.stderr.write(`Larder cannot start: ${error.message}\n`)
    return process.exit(78)
  }
}

const config = configOrExit()
const log = createLogger(config.logLevel)

function endOnSignal(stop: () => Promise<void>): void {
  let isStopping = false
  const end = () => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(1), stopTimeoutMs).unref()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))

try {
  const service = await startService(config, log)
  endOnSignal(service.stop)
} catch (error) {
  if (!(error instanceof MigrationError)) {
    log.fatal({ err: error }, 'Larder cannot start')
    process.exit(1)
  }
  log.fatal({ err: error }, 'a database could not be brought to this version')
  endOnSignal(serveDiagnosis(config, error.message))
}
