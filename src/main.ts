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

/** The first process of a container: a signal that nobody listens for would be lost. */
function endOnSignal(started: Promise<() => Promise<void>>): void {
  let isStopping = false
  const end = () => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(1), stopTimeoutMs).unref()
    started
      .then((stop) => stop())
      .then(
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

/** Answers how to stop what was started: the service, or the page that says why it cannot run. */
async function start(): Promise<() => Promise<void>> {
  try {
    const service = await startService(config, log)
    return () => service.stop()
  } catch (error) {
    if (!(error instanceof MigrationError)) {
      log.fatal({ err: error }, 'Larder cannot start')
      return process.exit(1)
    }
    log.fatal({ err: error }, 'a database could not be brought to this version')
    return serveDiagnosis(config, error.message)
  }
}

process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))
// A mistake in one place, a driver's callback for example, must not end everything else.
process.on('uncaughtException', (error) => log.error({ err: error }, 'uncaught exception'))

const started = Promise.withResolvers<() => Promise<void>>()
endOnSignal(started.promise)
started.resolve(start())
