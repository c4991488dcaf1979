/*
 * A left-over private server is stopped, not adopted. Only a child can be watched, and binaries or
 * settings may have changed since its parent died. A lock file keeps two living services apart.
 */
import { readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { HistoryFault } from '../failures.ts'
import { signalServer } from './signals.ts'

const fastStopMs = 15_000
const immediateStopMs = 5000
const pollMs = 20

/** False for a zombie, which has ended and waits to be reaped by its parent. */
function isAlive(pid: number): boolean {
  try {
    // The state follows the name, which is in parentheses and may contain anything.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Waits until a process that is not our child is gone. */
async function isGone(pid: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false
    await Bun.sleep(pollMs)
  }
  return true
}

/** The running server of this data directory, or null. The pid in the file may be reused. */
export function runningServer(dataDirectory: string): number | null {
  try {
    const pid = Number(readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n')[0])
    if (!Number.isInteger(pid) || pid <= 1 || !isAlive(pid)) return null
    const isServer = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres')
    return isServer && readlinkSync(`/proc/${pid}/cwd`) === dataDirectory ? pid : null
  } catch {
    return null // no file, or the process ended meanwhile
  }
}

/**
 * Stops a server whose parent died. It is not adopted, because only a child can be watched, and the
 * new parent may have other binaries or settings. A clean stop takes some 100 ms; the caller holds
 * the directory's lock, so no running service loses its server.
 */
export async function stopOrphan(dataDirectory: string): Promise<boolean> {
  const pid = runningServer(dataDirectory)
  if (pid === null) {
    // Left by a crash. Its pid may now belong to an unrelated process, and then Postgres would
    // refuse to start; we hold the lock and know that it is not a server of this directory.
    rmSync(join(dataDirectory, 'postmaster.pid'), { force: true })
    return false
  }
  for (const [signal, limitMs] of [
    ['SIGINT', fastStopMs],
    ['SIGQUIT', immediateStopMs],
    ['SIGKILL', immediateStopMs],
  ] as const) {
    signalServer(pid, signal)
    if (await isGone(pid, limitMs)) return true
  }
  throw new HistoryFault(`A Postgres left from an earlier run (process ${pid}) does not stop`)
}
