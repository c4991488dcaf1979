import { existsSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readableNames, readableText } from '../../core/lib/readable.ts'

/** Processes considered on one machine, and open files of one process. */
const maxProcesses = 100_000
const maxOpenFiles = 5000
/** nginx servers signalled; a machine has one or two. */
const maxServers = 16
const masterTitle = 'nginx: master process'

const isNumber = (name: string) => /^\d+$/.test(name)

/** Whether the process has a file in one of these folders open, even a deleted one. */
function writesInto(pid: number, proc: string, folders: readonly string[]): boolean {
  const files = join(proc, String(pid), 'fd')
  return readableNames(files)
    .slice(0, maxOpenFiles)
    .some((name) => {
      try {
        const target = readlinkSync(join(files, name))
        return folders.some((folder) => target.startsWith(`${folder}/`))
      } catch {
        return false
      }
    })
}

/**
 * Process ids of the visible nginx masters: those that write into one of these folders when that is
 * known (their files are visible to us under the same path), else all of them; signalling another
 * one does no harm.
 */
export function nginxMasters(folders: readonly string[], proc = '/proc'): number[] {
  const masters = readableNames(proc)
    .filter(isNumber)
    .slice(0, maxProcesses)
    .map(Number)
    .filter((pid) => readableText(join(proc, String(pid), 'cmdline')).startsWith(masterTitle))
    .slice(0, maxServers)
  const ours = masters.filter((pid) => writesInto(pid, proc, folders))
  return ours.length > 0 ? ours : masters
}

/** Whether this process may be signalled. Never throws. */
export function canSignal(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Whether we run in a container ourselves. */
export const isInContainer = (): boolean =>
  existsSync('/.dockerenv') || existsSync('/run/.containerenv')
