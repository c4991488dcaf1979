import { closeSync, existsSync, openSync } from 'node:fs'

const device = '/dev/fuse'

/** A mount of a file system whose server does not answer. */
export interface DeadShare {
  /** Fails all waiting calls and unmounts, which uncovers the folder again. */
  end(): void
}

/**
 * Mounts over a folder a file system that behaves like a share with a dead server: every call hangs
 * in the kernel, where no signal interrupts it. Null without permission (root, and `/dev/fuse`).
 */
export function mountDeadShare(folder: string): DeadShare | null {
  if (process.getuid?.() !== 0 || !existsSync(device)) return null
  // The kernel sends requests through this file and waits for answers; it is never read.
  const server = openSync(device, 'r+')
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0,allow_other'
  const { exitCode } = Bun.spawnSync(['mount', '-i', '-t', 'fuse', '-o', options, 'dead', folder], {
    stdio: ['ignore', 'ignore', 'ignore', server],
  })
  if (exitCode !== 0) {
    closeSync(server)
    return null
  }
  return {
    end() {
      Bun.spawnSync(['umount', '-l', folder])
      closeSync(server)
    },
  }
}
