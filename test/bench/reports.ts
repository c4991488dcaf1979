import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { Larder } from '../lab/larder.ts'
import { eventually } from '../support/eventually.ts'
import { seedHistory } from '../support/seed-history.ts'
import type { LogFile } from './logs.ts'

const readsMin = 100
const pages = [
  '/api/dashboard/batch',
  '/api/stats/dashboard',
  '/api/stats/services?since=7d',
  '/api/stats/clients',
  '/api/downloads/retro?page=1&pageSize=50',
  '/api/Speeds/current',
  '/api/Speeds/history?minutes=60',
]

export interface ReportTimes {
  /** The first answer of the batch after a start, milliseconds. */
  firstBatch: number
  /** Everything that pages ask for, while an import runs, milliseconds. */
  whileImporting: number[]
  /** Share of those reads that happened while lines were still being read. */
  importingShare: number
}

/** A year with a million downloads, asked for at once after a start and during an import. */
export async function timeReports(root: string, file: LogFile): Promise<ReportTimes> {
  const logPath = join(root, 'report-logs')
  mkdirSync(logPath)
  const sources = [{ name: 'bench', logPath }]
  const dataPath = join(root, 'report-data')
  const options = { dataPath, cachePath: join(root, 'cache'), sources }
  const seeded = await Larder.start(options)
  await eventually(() => seeded.output.includes('history ready'), 'the history is there')
  const visitor = await seeded.firstSignIn()
  await seedHistory(seeded.historyTarget(), { until: new Date() })
  const timed = async (path: string): Promise<number> => {
    const startMs = performance.now()
    await visitor.read(path)
    return performance.now() - startMs
  }
  const firstBatch = await timed('/api/dashboard/batch')
  renameSync(file.path, join(logPath, 'access.log'))
  const whileImporting: number[] = []
  let importing = 0
  const isReading = async () => {
    const [source] = await visitor.read<{ position: number }[]>('/api/logs/positions')
    return source === undefined || source.position < file.lines
  }
  // At least a hundred, and as many as fit into the import.
  for (let isDone = false; !isDone || whileImporting.length < readsMin;) {
    for (const path of pages) whileImporting.push(await timed(path))
    isDone = isDone || !(await isReading())
    if (!isDone) importing = whileImporting.length
  }
  await seeded.stop()
  renameSync(join(logPath, 'access.log'), file.path)
  return { firstBatch, whileImporting, importingShare: importing / whileImporting.length }
}
