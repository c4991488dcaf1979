import type Docker from 'dockerode'
import type { ProxyContainer } from './containers.ts'

/** How long a command in a container may take, and how often its end is asked for, milliseconds. */
const commandTimeoutMs = 5000
const pollMs = 50

const noNginx = 3
const notAllowed = 4
/** What the engine and shells answer for a command that is not there or cannot be run. */
const notRunnable = [126, 127]

/** Every nginx in a container, whatever its first process is; nothing but the shell is needed. */
const script = `told= failed=
for process in /proc/[0-9]*; do
  title=
  read -r title <"$process/cmdline"
  case $title in
    'nginx: master'*) kill -USR1 "\${process#/proc/}" && told=1 || failed=1 ;;
  esac
done 2>/dev/null
[ -z "$failed" ] || exit ${notAllowed}
[ -n "$told" ] || exit ${noNginx}`

/** Why the proxy cannot be told; the message is for people. */
export class CannotTell extends Error {}

/**
 * Tells nginx in a container to reopen its logs; false when none runs in it. Only ever by a command
 * inside: a signal sent through the engine counts as stopping by hand, so the container would not
 * be restarted any more, and it goes to the first process, which often is something else. Throws
 * `CannotTell`, or what the engine says.
 */
export async function tellContainer(
  engine: Docker,
  { id, name, isPaused }: ProxyContainer,
): Promise<boolean> {
  if (isPaused) throw new CannotTell(`the container ${name} is paused`)
  const container = engine.getContainer(id)
  const exitCode = await run(container, ['sh', '-c', script])
  if (exitCode === 0) return true
  if (exitCode === noNginx) return false
  // An image without a shell.
  if (exitCode === null && (await run(container, await reopenCommand(container))) === 0) return true
  throw new CannotTell(`no command could tell nginx in the container ${name}`)
}

/** Exit code of a command in a container; null when it cannot be run there. */
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
  throw new CannotTell('a command in the container did not end')
}

/** nginx finds its process by its configuration, so that has to be the one it was started with. */
async function reopenCommand(container: Docker.Container): Promise<string[]> {
  const master = /nginx: master process (.*)/.exec(await titlesIn(container))?.[1] ?? ''
  const [program = 'nginx'] = master.split(' ').filter((word) => word !== '')
  const given = ['-c', '-p'].flatMap((option) => {
    const value = new RegExp(`(?:^| )${option} ?(\\S+)`).exec(master)?.[1]
    return value === undefined ? [] : [option, value]
  })
  return [program, ...given, '-s', 'reopen']
}

/** Command lines of the processes in a container; '' when the engine cannot list them. */
async function titlesIn(container: Docker.Container): Promise<string> {
  try {
    // The library leaves this answer untyped; its form is part of the engine's interface.
    const { Processes } = (await container.top()) as { Processes: string[][] }
    return Processes.map((columns) => columns.at(-1) ?? '').join('\n')
  } catch {
    return ''
  }
}
