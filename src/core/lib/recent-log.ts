import pino from 'pino'
import { isRecord } from './record.ts'

/** Lines that are kept, and characters of one line's message and of its other members. */
const linesMax = 1000
const messageCharsMax = 500
const detailsCharsMax = 1000

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
export type LogLevel = (typeof logLevels)[number]

export interface LogLine {
  /** Grows by one with every line of this run. */
  sequence: number
  at: Date
  level: LogLevel
  message: string
  /** The other members as JSON; empty without any. */
  details: string
}

/** The installation key is logged for those who can read the machine's log, and for no one else. */
const keyPattern = /larder_[\w-]{20,}/g

const cut = (text: string, max: number) => (text.length > max ? `${text.slice(0, max)}…` : text)

/** The newest lines of our own log, in memory, for the dashboard. */
export class RecentLog {
  readonly #lines: LogLine[] = []
  #sequence = 0

  /** Takes a line of JSON as the logger writes it; anything else is ignored. */
  write(text: string): void {
    let line: unknown
    try {
      line = JSON.parse(text.replaceAll(keyPattern, '[secret]'))
    } catch {
      return
    }
    if (!isRecord(line)) return
    const { level, time, msg, ...others } = line
    this.#lines.push({
      sequence: ++this.#sequence,
      at: new Date(String(time)),
      level: levelOf(level),
      message: cut(typeof msg === 'string' ? msg : '', messageCharsMax),
      details: Object.keys(others).length === 0 ? '' : cut(JSON.stringify(others), detailsCharsMax),
    })
    if (this.#lines.length > linesMax) this.#lines.shift()
  }

  /** The newest lines from this level on that contain the text, oldest first. */
  read({ from, search, limit }: { from: LogLevel; search: string; limit: number }): LogLine[] {
    const levelMin = logLevels.indexOf(from)
    const wanted = search.toLowerCase()
    const found = this.#lines.filter(
      ({ level, message, details }) =>
        logLevels.indexOf(level) >= levelMin &&
        (wanted === '' || `${message} ${details}`.toLowerCase().includes(wanted)),
    )
    return found.slice(-limit)
  }
}

/** Numbers between two levels count as the lower one. */
function levelOf(value: unknown): LogLevel {
  const number = typeof value === 'number' ? value : pino.levels.values['info']
  const known = logLevels.filter((level) => (pino.levels.values[level] ?? 0) <= (number ?? 0))
  return known.at(-1) ?? 'trace'
}
