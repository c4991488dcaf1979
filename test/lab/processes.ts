import { readdirSync, readFileSync } from 'node:fs'

interface ProcessInfo {
  pid: number
  parent: number
  command: string
}

/** All processes of the machine that are visible to us. */
function processes(): ProcessInfo[] {
  const found: ProcessInfo[] = []
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      // The second field is in parentheses and may contain spaces.
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
      found.push({ pid: Number(name), parent, command })
    } catch {
      // It has ended in the meantime.
    }
  }
  return found
}

/** A process and all its descendants. */
export function familyOf(pid: number, all = processes()): number[] {
  const children = all.filter(({ parent }) => parent === pid)
  return [pid, ...children.flatMap((child) => familyOf(child.pid, all))]
}

/** Processes whose command line contains a text, for example a data directory. */
export const processesNaming = (text: string): string[] =>
  processes()
    .filter(({ command }) => command.includes(text))
    .map(({ command }) => command)

/** Proportional set size of processes, in bytes: shared pages are divided among their users. */
export function memoryOf(pids: number[]): number {
  let bytes = 0
  for (const pid of pids) {
    try {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      bytes += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024
    } catch {
      // It has ended in the meantime.
    }
  }
  return bytes
}
