import { Ending } from '../../core/process/ending.ts'

const ending = new Ending()
// Loading takes a while, in which a signal would be lost without the handlers above.
const { DaemonRefused, startDaemon } = await import('./start.ts')

/** `EX_CONFIG`: starting again changes nothing until an operator does something. */
const configurationExitCode = 78

const started = startDaemon(process.argv.slice(2), process.env, () => {
  process.kill(process.pid, 'SIGTERM')
})
ending.stopsAfter(
  started.catch((error: unknown) => {
    if (!(error instanceof DaemonRefused)) throw error
    process.stderr.write(`The prefill daemon cannot start: ${error.message}\n`)
    return process.exit(configurationExitCode)
  }),
)
