import type Docker from 'dockerode'
import { findProxyContainer } from './containers.ts'

export interface NginxContainer {
  id: string
  name: string
}

/** Names and images that tell a proxy, best first, and those that tell something beside it. */
const proxyWords = ['monolithic', 'lancache']
const otherWords = /dns|manager|postgres|redis|mariadb|mysql|larder/i
/** How long the command in the container may take, milliseconds. */
const commandTimeoutMs = 5000
const pollMs = 50

/** Finds nginx by the file of its process id, else by its title, and tells it. */
const command = [
  'sh',
  '-c',
  'for pid in $(cat /run/nginx.pid /var/run/nginx.pid 2>/dev/null) ' +
    '$(pgrep -o -f "nginx: master" 2>/dev/null); do kill -USR1 "$pid" && exit 0; done; exit 1',
]

/**
 * The running container of the proxy: the one that is named, else the one that has a proxy's
 * settings, else one whose name or image says so. Null: none. Throws what the engine says.
 */
export async function findNginxContainer(
  engine: Docker,
  name: string | null,
): Promise<NginxContainer | null> {
  const found = await findProxyContainer(engine, name)
  if (found !== null) return { id: found.id, name: found.name }
  if (name !== null) return null
  const running = (await engine.listContainers())
    .map(({ Id, Names, Image }) => ({
      id: Id,
      name: (Names[0] ?? '').replace(/^\//, ''),
      image: Image ?? '',
    }))
    .filter((one) => !otherWords.test(`${one.name} ${one.image}`))
  for (const word of proxyWords) {
    const match = running.find((one) => `${one.name} ${one.image}`.toLowerCase().includes(word))
    if (match !== undefined) return { id: match.id, name: match.name }
  }
  return null
}

/** Tells the nginx in a container; its first process where no command can be run. */
export async function signalContainer(engine: Docker, { id }: NginxContainer): Promise<void> {
  const container = engine.getContainer(id)
  if (await hasRun(container)) return
  await container.kill({ signal: 'SIGUSR1' })
}

async function hasRun(container: Docker.Container): Promise<boolean> {
  try {
    const run = await container.exec({ Cmd: command })
    await run.start({ Detach: true })
    const endMs = performance.now() + commandTimeoutMs
    while (performance.now() < endMs) {
      const { Running, ExitCode } = await run.inspect()
      if (!Running && ExitCode !== null) return ExitCode === 0
      await Bun.sleep(pollMs)
    }
  } catch {
    // An image without a shell, or an engine that forbids it: the signal is tried.
  }
  return false
}
