import type { Visitor } from '../../src/demo/visitor.ts'
import { familyOf, memoryOf } from '../lab/processes.ts'
import { median, megabytes, milliseconds, type Row } from './measure.ts'
import { startSeeded } from './reads.ts'
import type { SeedOptions } from '../support/seed-history.ts'

/** Downloads of one export. */
const rowsWanted = 1_000_000
const samplePauseMs = 250
const budget = '256 MB, overview p50 20 ms'

interface Exported {
  lines: number
  bytes: number
}

const newline = '\n'.charCodeAt(0)

/** Reads a whole export as fast as it comes. */
async function exported(visitor: Visitor, path: string): Promise<Exported> {
  const response = await visitor.request('GET', path)
  if (!response.ok || response.body === null) throw new Error(`${path}: ${response.status}`)
  const found = { lines: 0, bytes: 0 }
  for await (const chunk of response.body) {
    found.bytes += chunk.length
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1))
      found.lines++
  }
  return found
}

interface ExportsTimed {
  seconds: number
  one: Exported
  /** Of the service with its private Postgres. */
  peakBytes: number
  batchMs: number[]
}

/** Several exports at once, while the overview is read again and again. */
async function timeExports(
  { visitor, pid }: { visitor: Visitor; pid: number },
  path: string,
  count: number,
): Promise<ExportsTimed> {
  let peakBytes = 0
  let isOver = false
  const batchMs: number[] = []
  const watched = (async () => {
    while (!isOver) {
      const startMs = performance.now()
      // An answer that is cached says nothing about the history.
      await visitor.read(`/api/dashboard/batch?startTime=${Math.floor(Math.random() * 1e9)}`)
      batchMs.push(performance.now() - startMs)
      peakBytes = Math.max(peakBytes, memoryOf(familyOf(pid)))
      await Bun.sleep(samplePauseMs)
    }
  })()
  const startMs = performance.now()
  const all = await Promise.all(Array.from({ length: count }, () => exported(visitor, path)))
  const seconds = (performance.now() - startMs) / 1000
  isOver = true
  await watched
  const [one = { lines: 0, bytes: 0 }] = all
  if (all.some(({ lines }) => Math.abs(lines - one.lines) > 1)) throw new Error('exports differ')
  return { seconds, one, peakBytes, batchMs }
}

/** Exports of a million downloads in both formats, one and four at a time, and one that is sorted. */
export async function exportRows(root: string, history: SeedOptions): Promise<Row[]> {
  const { larder, visitor } = await startSeeded(root, history)
  const { downloads = rowsWanted, days = 365 } = history
  const end = Math.floor(Date.now() / 1000)
  const start = end - Math.ceil((days * 86_400 * rowsWanted) / downloads)
  const query = `includePrefill=true&StartTime=${start}&EndTime=${end}`
  const rows: Row[] = []
  for (const [what, rest, count] of [
    ['one as CSV', 'format=csv', 1],
    ['one as JSON', 'format=json', 1],
    ['one as CSV, largest first', 'format=csv&Sort=largest', 1],
    ['four at once as JSON', 'format=json', 4],
  ] as const) {
    const path = `/api/ext/downloads/export?${query}&${rest}`
    const timed = await timeExports({ visitor, pid: larder.pid }, path, count)
    const figures = [
      `${timed.one.lines} lines, ${megabytes(timed.one.bytes)}, ${Math.round(timed.seconds)} s`,
      `peak ${megabytes(timed.peakBytes)}`,
      `overview p50 ${milliseconds(median(timed.batchMs))}`,
    ]
    rows.push({
      what: `export of a million downloads: ${what}`,
      measured: figures.join('; '),
      budget,
    })
  }
  await larder.stop()
  return rows
}
