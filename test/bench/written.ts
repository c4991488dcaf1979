import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { table, type Row } from './measure.ts'

const path = join(import.meta.dir, '../../docs/performance.md')

export interface Section {
  title: string
  /** What repeats it. */
  command: string
  rows: readonly Row[]
}

/** The document with a section in place of its earlier one of the same title, or at the end. */
export function withSection(document: string, title: string, body: string): string {
  const [head = '', ...sections] = document.trimEnd().split(/^(?=## )/m)
  const heading = `## ${title}\n`
  const text = `${heading}\n${body}\n`
  const index = sections.findIndex((section) => section.startsWith(heading))
  const all = index === -1 ? [...sections, text] : sections.with(index, text)
  return [head, ...all].map((part) => `${part.trimEnd()}\n`).join('\n')
}

/** Puts measured figures into `docs/performance.md`, with the machine and the commit. */
export async function writeSection({ title, command, rows }: Section): Promise<void> {
  const commit = await Bun.$`git rev-parse --short=10 HEAD`.text()
  const day = new Date().toISOString().slice(0, 10)
  const cores = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  const machine = `${cores[0]?.model.trim() ?? 'unknown processor'}, ${cores.length} cores, ${memory}`
  const about = `\`${command}\`, ${day}, commit ${commit.trim()}, Bun ${Bun.version}, ${machine}`
  const body = `${about}\n\n${table(rows)}`
  await Bun.write(path, withSection(await Bun.file(path).text(), title, body))
}
