import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { added } from '../../core/lib/added.ts'
import { readableNames, readableText } from '../../core/lib/readable.ts'

/** Child processes that are counted. */
const childrenMax = 200

/** What a process and its children use. Bytes. */
export interface ProcessUse {
  bytes: number
  threads: number
  /** Open files and sockets. */
  handles: number
}

const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0)

/** Parents by process id. `stat` has the parent after the name, which may contain anything. */
function parents(proc: string): Map<number, number> {
  const ids = readdirSync(proc).filter((name) => /^\d+$/.test(name))
  return new Map(
    ids.map((id) => {
      const stat = readableText(join(proc, id, 'stat'))
      return [Number(id), numberIn(stat.slice(stat.lastIndexOf(')')), /^\) \S (\d+)/)]
    }),
  )
}

function descendantsOf(pid: number, proc: string): number[] {
  const parentOf = parents(proc)
  const found = [pid]
  for (const parent of found) {
    for (const [id, own] of parentOf) {
      if (own === parent && found.length < childrenMax) found.push(id)
    }
  }
  return found.slice(1)
}

function useOf(pid: number, proc: string): ProcessUse {
  const folder = join(proc, String(pid))
  const status = readableText(join(folder, 'status'))
  // Postgres's processes share their buffers: the proportional size counts those once.
  const shared = readableText(join(folder, 'smaps_rollup'))
  const kib = numberIn(shared, /^Pss:\s+(\d+) kB/m) || numberIn(status, /^VmRSS:\s+(\d+) kB/m)
  return {
    bytes: kib * 1024,
    threads: numberIn(status, /^Threads:\s+(\d+)/m),
    handles: readableNames(join(folder, 'fd')).length,
  }
}

/**
 * What a process and all of its children use, as `proc(5)` reports it. Files of processes of
 * another user cannot be counted. Where there is no `/proc`, only the memory of this process.
 */
export function processUse(pid = process.pid, proc = '/proc'): ProcessUse {
  try {
    const uses = [pid, ...descendantsOf(pid, proc)].map((id) => useOf(id, proc))
    return uses.reduce((sum, use) => added(sum, use))
  } catch {
    return { bytes: process.memoryUsage.rss(), threads: 0, handles: 0 }
  }
}
