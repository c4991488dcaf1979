import { readFileSync } from 'node:fs'

/** How willingly a thread waits for others: field 19 of its `stat`, see proc(5). */
export function nicenessOf(thread: string): number {
  const stat = readFileSync(`/proc/${thread}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
}
