import type Docker from 'dockerode'
import type { ProxyContainer } from './containers.ts'

/** Time limit of a command in a container, and polling interval for its end; milliseconds. */
const commandTimeoutMs = 5000
const pollMs = 50

const noNginx = 3
const notAllowed = 4
/** Exit codes of the engine and of shells for a missing or non-executable command. */
const notRunnable = [126, 127]

/** Signals every nginx in a container, whatever its first process; needs only a shell. */
const script = `signalled= failed=
for process in /proc/[0-9]*; do
  title=
  read -r title <"$process/cmdline"
  case $title in
    'nginx: master'*) kill -USR1 "\${process#/proc/}" && signalled=1 || failed=1 ;;
  esac
done 2>/dev/null
[ -z "$failed" ] || exit ${notAllowed}
[ -n "$signalled" ] || exit ${noNginx}`

/** Why the proxy cannot be signalled; the message is shown to users. */
export class SignalError extends Error {}

/**
 * Makes nginx in a container reopen its logs; false when none runs in it. Always by a command
 * inside: a signal sent through the engine counts as a manual stop, which disables automatic
 * restarts, and it goes to the first process, which is often not nginx. Throws `SignalError`, or the
 * engine's error.
 */
export async function signalContainer(
  engine: Docker,
  { id, name, isPaused }: ProxyContainer,
): Promise<boolean> {
  if (isPaused) throw new SignalError(`the container ${name} is paused`)
  const container = engine.getContainer(id)
  const exitCode = await run(container, ['sh', '-c', script])
  if (exitCode === 0) return true
  if (exitCode === noNginx) return false
  // An image without a shell.
  if (exitCode === null && (await run(container, await reopenCommand(container))) === 0) return true
  throw new SignalError(`no command could signal nginx in the container ${name}`)
}

/** Exit code of a command in a container; null when it cannot run there. */
async function run(container: Docker.Container, command: string[]): Promise<number | null> {
  const started = await container.exec({ Cmd: command })
  try {
    await started.start({ Detach: true })
  } catch (error) {
    const { statusCode = 500 } = error as { statusCode?: number }
    if (statusCode < 500) return null
    throw error
  }
  const endMs = performance.now() + commandTimeoutMs
  while (performance.now() < endMs) {
    const { Running, ExitCode } = await started.inspect()
    if (!Running && ExitCode !== null) return notRunnable.includes(ExitCode) ? null : ExitCode
    await Bun.sleep(pollMs)
  }
  throw new SignalError('a command in the container did not end')
}

/**
 * nginx finds its master process through its configuration, so this must be the one it was started
 * with.
 */
async function reopenCommand(container: Docker.Container): Promise<string[]> {
  const master = /nginx: master process (.*)/.exec(await titlesIn(container))?.[1] ?? ''
  const [program = 'nginx'] = master.split(' ').filter((word) => word !== '')
  const given = ['-c', '-p'].flatMap((option) => {
    const value = new RegExp(`(?:^| )${option} ?(\\S+)`).exec(master)?.[1]
    return value === undefined ? [] : [option, value]
  })
  return [program, ...given, '-s', 'reopen']
}

/** Command lines of a container's processes; '' when the engine cannot list them. */
async function titlesIn(container: Docker.Container): Promise<string> {
  try {
    // The library leaves this response untyped; its shape is part of the engine's API.
    const { Processes } = (await container.top()) as { Processes: string[][] }
    return Processes.map((columns) => columns.at(-1) ?? '').join('\n')
  } catch {
    return ''
  }
}
