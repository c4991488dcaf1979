import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { NginxPlace } from '../lab/proxy.ts'
import { docker, run, tryCommand } from './docker.ts'

/** Where the container has what is `root` on the machine. */
const inside = '/data'

function programPath(name: string): string {
  const path = Bun.which(name, { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' })
  if (path === null) throw new Error(`${name} is not installed`)
  return path
}

/** An image of this machine's nginx and what it is linked with, with a shell or without. */
export async function packNginx(tag: string, withShell: boolean): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'larder-nginx-'))
  try {
    for (const folder of ['proc', 'sys', 'dev', 'etc', 'run', 'tmp', 'var/log/nginx', 'bin']) {
      mkdirSync(join(root, folder), { recursive: true })
    }
    writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\n')
    writeFileSync(join(root, 'etc/group'), 'root:x:0:\n')
    for (const name of withShell ? ['nginx', 'sh'] : ['nginx']) {
      const program = programPath(name)
      copyFileSync(realpathSync(program), join(root, 'bin', name))
      const linked = await run(['ldd', program])
      for (const [library] of linked.matchAll(/\/\S+/g)) {
        mkdirSync(join(root, dirname(library)), { recursive: true })
        copyFileSync(library, join(root, library))
      }
    }
    await run(['tar', '-C', root, '-cf', `${root}.tar`, '.'])
    await docker('import', '--change', 'ENV PATH=/bin', `${root}.tar`, tag)
  } finally {
    rmSync(root, { recursive: true, force: true })
    rmSync(`${root}.tar`, { force: true })
  }
}

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
