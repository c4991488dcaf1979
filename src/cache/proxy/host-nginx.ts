import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Processes of one machine that are looked at, and open files of one. */
const maxProcesses = 100_000
const maxOpenFiles = 5000
/** nginx servers that are told; a machine has one or two. */
const maxServers = 16
const masterTitle = 'nginx: master process'

const isNumber = (name: string) => /^\d+$/.test(name)

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** Does the process have a file in one of these folders open, also one that was deleted since? */
function writesInto(pid: number, proc: string, folders: readonly string[]): boolean {
  const files = join(proc, String(pid), 'fd')
  return namesIn(files)
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
 * Process ids of the nginx masters we can see: those that write into one of these folders when
 * that can be told (their files are ours to see, under the same path), else all of them; telling
 * another one does no harm.
 */
export function nginxMasters(folders: readonly string[], proc = '/proc'): number[] {
  const masters = namesIn(proc)
    .filter(isNumber)
    .slice(0, maxProcesses)
    .map(Number)
    .filter((pid) => textOf(join(proc, String(pid), 'cmdline')).startsWith(masterTitle))
    .slice(0, maxServers)
  const ours = masters.filter((pid) => writesInto(pid, proc, folders))
  return ours.length > 0 ? ours : masters
}

/** May this process be signalled? Throws nothing. */
export function canSignal(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Do we live in a container ourselves? */
export const isInContainer = (): boolean =>
  existsSync('/.dockerenv') || existsSync('/run/.containerenv')
