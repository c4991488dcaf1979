import { closeSync, openSync, writeSync } from 'node:fs'
import { cachelogLine } from '../../src/demo/log-formats.ts'
import { Traffic } from '../../src/demo/log-generator.ts'

const tickMs = 10
const clients = ['192.168.7.1', '192.168.7.2', '192.168.7.3', '192.168.7.4', 'fd00::7']
// Friday, 20 November 2026, midnight.
const startAt = 1_795_132_800

/**
 * Writes to an open file like a proxy under load, some thousand lines a second, and keeps a copy. A
 * write often ends in the middle of a line; the next one continues it.
 */
export class LogWriter {
  readonly #path: string
  readonly #traffic: Traffic
  readonly #text: string[] = []
  #file: number
  #at = startAt
  /** Rest of an unfinished line, already counted in `#text`. */
  #rest = ''
  #timer: NodeJS.Timeout | null = null

  constructor(path: string, seed: number) {
    this.#path = path
    this.#traffic = new Traffic({ seed, startAt, clients, chunksPerDay: 200_000 })
    this.#file = openSync(path, 'a')
  }

  /** All lines written, whatever their current file. */
  get text(): string {
    return this.#text.join('')
  }

  get lineCount(): number {
    return this.#traffic.ledger.lines
  }

  start(): this {
    this.#timer ??= setInterval(() => this.writeSome(), tickMs)
    return this
  }

  /** One second of the simulated LAN. */
  writeSome(): void {
    this.#at = this.#traffic.nextSecond(this.#at + 1)
    const requests = this.#traffic.second(this.#at)
    const block = requests.map((it) => `${cachelogLine(it)}\n`).join('')
    this.#text.push(block)
    const whole = this.#rest + block
    const cut = whole.length - (this.#at % 50)
    writeSync(this.#file, whole.slice(0, cut))
    this.#rest = whole.slice(cut)
  }

  /** Finishes the last line. */
  flush(): void {
    writeSync(this.#file, this.#rest)
    this.#rest = ''
  }

  /** Like nginx on USR1: continues in a new file of the old name. */
  reopen(): void {
    this.flush()
    closeSync(this.#file)
    this.#file = openSync(this.#path, 'a')
  }

  pause(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  stop(): void {
    this.pause()
    this.flush()
    closeSync(this.#file)
  }
}
