import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SourceProblem } from '../wire.ts'
import type { LogFile } from '../../inputs.ts'
import { serviceOfStem, sharedStem } from '../lines/service-name.ts'

export type { LogFile } from '../../inputs.ts'

export interface Directory {
  path: string
  layout: 'monolithic' | 'bare_metal' | 'mixed'
  /** Oldest to newest within each stem. */
  files: LogFile[]
  problem: SourceProblem
  message: string | null
  /** Names that resemble log files but cannot be read. */
  unreadable: string[]
  /** Some names in a folder without an access log. */
  entries: string[]
  /** The oldest log files, beyond the limit. */
  filesOverLimit: number
}

/** Why a log file cannot be read. */
export interface FileFault {
  problem: Extract<SourceProblem, 'permission_denied' | 'unreadable_file'>
  reason: string
}

/** Log files read per directory, the newest ones; other files do not count. */
export const maxFiles = 5000
/** Names kept for a message. */
const maxOthers = 10
const stems = [sharedStem, ...Object.keys(serviceOfStem)]
const member = new RegExp(
  String.raw`^(${stems.map((stem) => stem.replaceAll('.', String.raw`\.`)).join('|')})` +
    // Eight digits are a date, whatever stands before them: no log has been rotated that often.
    String.raw`(?:\.(\d{1,7})|[.-](\d{4}-?\d\d-?\d\d[\d._-]*?))?(\.gz|\.zst)?$`,
  'i',
)

/** Stem, order and compression of a file name; null for one outside of any series. */
export function readName(name: string): Pick<LogFile, 'stem' | 'order' | 'compression'> | null {
  const parts = member.exec(name)
  if (parts === null) return null
  const [, stem = '', number, date, extension] = parts
  const isCurrent = number === undefined && date === undefined
  if (isCurrent && extension !== undefined) return null
  const compression =
    extension === undefined ? 'none' : extension.toLowerCase() === '.gz' ? 'gzip' : 'zstd'
  let order: LogFile['order'] = [2, '']
  if (date !== undefined) order = [0, date]
  if (number !== undefined) order = [1, String(9_999_999 - Number(number)).padStart(7, '0')]
  return { stem: stem.toLowerCase(), order, compression }
}

type Aged = Pick<LogFile, 'order' | 'compression'>

/** Oldest first. */
export const byAge = (a: Aged, b: Aged) =>
  a.order[0] - b.order[0] ||
  (a.order[1] < b.order[1] ? -1 : Number(a.order[1] > b.order[1])) ||
  (a.compression === 'none' ? 1 : 0) - (b.compression === 'none' ? 1 : 0)

interface Listing {
  files: LogFile[]
  /** Other logs. */
  others: string[]
  /** Some names of anything, where nothing belongs to a series. */
  entries: string[]
  hasHttp: boolean
  unreadable: string[]
  filesOverLimit: number
}

type Known = Pick<LogFile, 'stem' | 'name' | 'order' | 'compression'>

/** Names in a directory that belong to a series, oldest to newest, and other relevant ones. */
function namesIn(path: string) {
  const known: Known[] = []
  const others: string[] = []
  let hasHttp = false
  const names = readdirSync(path)
  for (const name of names) {
    const about = readName(name)
    if (about !== null) known.push({ ...about, name })
    else if (name === 'http') hasHttp = true
    else if (name.endsWith('.log') && others.length < maxOthers) others.push(name)
  }
  const entries = known.length === 0 ? names.toSorted().slice(0, maxOthers) : []
  return { known: known.sort(byAge), others, entries, hasHttp }
}

function list(path: string): Listing {
  const { known, others, entries, hasHttp } = namesIn(path)
  const filesOverLimit = Math.max(0, known.length - maxFiles)
  const files: LogFile[] = []
  const unreadable: string[] = []
  for (const one of known.slice(filesOverLimit)) {
    try {
      const file = join(path, one.name)
      const stat = statSync(file)
      const { dev, ino, size, mtimeMs } = stat
      if (!stat.isFile()) {
        unreadable.push(one.name)
        continue
      }
      const identity = { device: String(dev), inode: String(ino), size }
      files.push({ ...one, path: file, ...identity, modifiedMs: Math.floor(mtimeMs) })
    } catch {
      // Renamed or deleted between listing and reading: the next discovery finds it.
    }
  }
  return { files, others, entries, hasHttp, unreadable, filesOverLimit }
}

const isPerHost = ({ stem }: LogFile) => stem !== sharedStem
const isService = ({ stem }: LogFile) =>
  isPerHost({ stem } as LogFile) && serviceOfStem[stem] !== null

function layoutOf(files: LogFile[]): Directory['layout'] {
  const hasHosts = files.some(isPerHost)
  if (!hasHosts) return 'monolithic'
  return files.some((file) => !isPerHost(file)) ? 'mixed' : 'bare_metal'
}

/** The content of a log directory. Never throws: problems are part of the result. */
export function readLogFolder(logPath: string): Directory {
  const empty = {
    path: logPath,
    layout: 'monolithic' as const,
    files: [],
    unreadable: [],
    entries: [],
    filesOverLimit: 0,
  }
  try {
    let path = logPath
    let found = list(path)
    if (found.files.length === 0 && found.hasHttp) {
      const child = listOrNull(join(logPath, 'http'))
      if (child !== null && child.files.some(isService)) {
        path = join(logPath, 'http')
        found = child
      }
    }
    const { files, unreadable, entries, others, filesOverLimit } = found
    const layout = layoutOf(files)
    if (files.length > 0) {
      const about = { path, layout, files, unreadable, entries, filesOverLimit }
      return { ...about, problem: 'none', message: null }
    }
    if (unreadable.length > 0) {
      const message = `${unreadable.join(', ')} in ${path} cannot be read as a log file`
      return { ...empty, unreadable, problem: 'unreadable_file', message }
    }
    const seen = others.length > 0 ? `; other logs there: ${others.join(', ')}` : ''
    return { ...empty, entries, problem: 'no_sources', message: `no access log in ${path}${seen}` }
  } catch (error) {
    const code = (error as { code?: string }).code
    if (code === 'EACCES' || code === 'EPERM') {
      return { ...empty, problem: 'permission_denied', message: `${logPath}: permission denied` }
    }
    const message = `log directory ${logPath} is missing`
    return { ...empty, problem: 'missing_directory', message }
  }
}

function listOrNull(path: string) {
  try {
    return list(path)
  } catch {
    return null
  }
}
