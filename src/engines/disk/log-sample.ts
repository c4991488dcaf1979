import { closeSync, openSync, readSync } from 'node:fs'
import { hintOf } from '../log-scan/file-name-hints.ts'
import { readLogFolder, type LogFile } from '../logs/files/discovery.ts'
import { Line } from '../logs/lines/line.ts'
import { looksDetailed } from '../logs/lines/parse-detailed.ts'
import { parseLine } from '../logs/lines/parse-line.ts'
import { serviceOfStem } from '../logs/lines/service-name.ts'
import type { LogFormat, LogSample } from './contract.ts'

/** Read from the end of the newest log. */
const sampleBytes = 64 * 1024
const linesMax = 200
const strangeCharsMax = 300
const lineFeed = 10
const openBrace = 0x7b

const newestOf = (files: LogFile[]): LogFile | undefined =>
  files
    .filter(({ stem, compression }) => serviceOfStem[stem] !== null && compression === 'none')
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs)
    .find(({ size }, at, all) => size > 0 || at === all.length - 1)

/** Complete lines at the end of the file, oldest first. Throws the disk's errors. */
function lastLines({ path, size }: LogFile): Buffer[] {
  const file = openSync(path, 'r')
  try {
    const from = Math.max(0, size - sampleBytes)
    const buffer = Buffer.alloc(Math.min(size, sampleBytes))
    const block = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, from))
    const lines: Buffer[] = []
    let at = from === 0 ? 0 : block.indexOf(lineFeed) + 1
    for (let end = block.indexOf(lineFeed, at); end >= 0; end = block.indexOf(lineFeed, at)) {
      lines.push(block.subarray(at, end))
      at = end + 1
    }
    return lines.slice(-linesMax)
  } finally {
    closeSync(file)
  }
}

const formatOf = (line: Buffer): LogFormat =>
  line[0] === openBrace ? 'json' : looksDetailed(line, 0, line.length) ? 'detailed' : 'cachelog'

/** Which of these lines are understood; the format of the last one that is. */
function judge(lines: Buffer[], stem: string) {
  const line = new Line()
  const found = { lines: 0, understood: 0, strange: null as string | null }
  let format: LogFormat | null = null
  for (const one of lines) {
    const outcome = parseLine(line, hintOf(stem), one, { from: 0, to: one.length })
    if (outcome === 'blank') continue
    found.lines++
    if (outcome === 'parsed') {
      found.understood++
      format = formatOf(one)
    } else found.strange ??= one.toString('utf8').slice(0, strangeCharsMax)
  }
  return { ...found, format }
}

/** The log files in a folder, and whether the end of the newest is understood. Never throws. */
export function logSample(logPath: string): LogSample {
  const { files, problem, message, entries } = readLogFolder(logPath)
  const newest = newestOf(files)
  const nothing = { lines: 0, understood: 0, strange: null, format: null }
  const about = { files: files.length, file: newest?.path ?? null, message, entries }
  if (newest === undefined) return { ...about, problem, ...nothing }
  try {
    return { ...about, problem, ...judge(lastLines(newest), newest.stem) }
  } catch (error) {
    const { code } = error as { code?: string }
    const isRefused = code === 'EACCES' || code === 'EPERM'
    const failed = isRefused ? 'permission_denied' : 'unreadable_file'
    return { ...about, problem: failed, message: String(error), ...nothing }
  }
}
