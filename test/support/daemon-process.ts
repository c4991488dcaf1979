import { join } from 'node:path'
import { atEnd } from './cleanup.ts'
import { daemonClientOf } from './daemon-client.ts'

const program = join(import.meta.dir, '../../src/prefill/daemon/main.ts')

interface DaemonProcessOptions {
  platform: string
  folder: string
  environment: Record<string, string>
}

/** A daemon as a process of its own. Killed after the file's last test. */
export function daemonProcess({ platform, folder, environment }: DaemonProcessOptions) {
  const socketPath = join(folder, 'run', 'd.sock')
  const process_ = Bun.spawn([process.execPath, program, platform], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      PREFILL_SOCKET_PATH: socketPath,
      PREFILL_CONFIG_DIR: join(folder, 'config'),
      LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  atEnd(async () => {
    process_.kill('SIGKILL')
    await process_.exited
  })
  return {
    process: process_,
    socketPath,
    /** Waits until it listens. */
    connect: () =>
      daemonClientOf({ path: socketPath }, () => {
        if (process_.exitCode !== null) throw new Error(`it ended with ${process_.exitCode}`)
      }),
    /** Exit code, and what it wrote to its error output. */
    async ended() {
      const errors = await new Response(process_.stderr).text()
      return { code: await process_.exited, errors }
    },
  }
}
