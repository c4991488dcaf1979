import { readFileSync } from 'node:fs'

/** Niceness of a thread: field 19 of its `stat`, see proc(5). */
export function nicenessOf(thread: string): number {
  const stat = readFileSync(`/proc/${thread}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
}
