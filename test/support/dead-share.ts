import { closeSync, existsSync, openSync } from 'node:fs'

const device = '/dev/fuse'

/** A mount of a file system whose server says nothing. */
export interface DeadShare {
  /** Everybody who waits for it gets an error, and what lies below is seen again. */
  end(): void
}

/**
 * Mounts over a folder what behaves like a share whose server is gone: every question about it hangs in
 * the kernel, where no signal reaches. Null where that may not be done (root's, and `/dev/fuse`).
 */
export function mountDeadShare(folder: string): DeadShare | null {
  if (process.getuid?.() !== 0 || !existsSync(device)) return null
  // The kernel asks through this file and waits for an answer: nobody ever reads it.
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
