import type { NginxPlace } from '../lab/proxy.ts'
import { docker, tryCommand } from './docker.ts'
import { packPrograms, programs } from './program-image.ts'

/** Where the container has what is `root` on the machine. */
const inside = '/data'

/** An image of this machine's nginx and what it is linked with, with a shell or without. */
export const packNginx = (tag: string, withShell: boolean): Promise<void> =>
  packPrograms({ tag, programs: withShell ? programs('nginx', 'sh') : programs('nginx') })

export interface NginxContainerOptions {
  image: string
  name: string
  /** Folder of the machine with everything nginx reads and writes. */
  root: string
  parameters?: string[]
}

const command = ['nginx', '-p', inside, '-c', `${inside}/nginx.conf`]
/** nginx beside a first process that is something else, as most images have it. */
const besideShell = ['sh', '-c', `${command.join(' ')} & trap "kill -QUIT $!" TERM; wait $!`]
export const alone = command

/** nginx in a container on the machine's network. */
export function inContainer(options: NginxContainerOptions, start = besideShell): NginxPlace {
  const { image, name, root, parameters = [] } = options
  return {
    inside,
    async start() {
      const shape = ['--detach', '--name', name, '--network=host', '--volume', `${root}:${inside}`]
      await docker('run', ...shape, ...parameters, image, ...start)
      return {
        async ended() {
          const running = await docker('inspect', '--format', '{{.State.Running}}', name)
          return running === 'true' ? null : await docker('logs', name)
        },
        stop: async () => void (await tryCommand(['docker', 'rm', '--force', name])),
      }
    },
  }
}

/** Processes of a container as this machine numbers them. */
export async function processesOf(name: string): Promise<number[]> {
  const [, ...lines] = (await docker('top', name, '-eo', 'pid,args')).split('\n')
  return lines.map((line) => Number.parseInt(line, 10))
}
