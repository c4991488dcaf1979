import { endWorker } from '../../end-worker.ts'
import { tellThread, workerLog } from '../../engine.ts'
import type { FoundBatch } from './found-batch.ts'
import type { ReadRequest } from './new-directories.ts'

/** Requests that a reader has at once: the next one waits while an answer is written down. */
export const requestsEach = 2
/** How long readers may go on with what they were asked for when nobody wants it any more. */
const leaveMs = 2000

/** The thread that was to read has died. */
export class ReaderGone extends Error {}

interface Pending {
  resolve: (batch: FoundBatch) => void
  reject: (error: Error) => void
}

interface Reader {
  worker: Worker
  /** Where its thread is listed, once it said so. */
  threads: string[]
  /** In the order of the requests, which is that of the answers. */
  pending: Pending[]
}

/** Threads that read directories side by side. */
export class Readers {
  readonly #readers: Reader[]

  /** `script`: another reader than the usual one. */
  constructor(count: number, script = new URL('./reader.worker.ts', import.meta.url).href) {
    this.#readers = Array.from({ length: count }, () => this.#start(script))
  }

  /** How many are alive. */
  get count(): number {
    return this.#readers.length
  }

  /** Asks the reader that has least to do. Rejects with ReaderGone when it dies, or none is left. */
  read(request: ReadRequest): Promise<FoundBatch> {
    return new Promise((resolve, reject) => {
      const [first, ...others] = this.#readers
      if (first === undefined) {
        reject(new ReaderGone('no thread is left that reads'))
        return
      }
      let reader = first
      for (const other of others) if (other.pending.length < reader.pending.length) reader = other
      reader.pending.push({ resolve, reject })
      reader.worker.postMessage(request)
    })
  }

  /** Ends all threads, those that are reading when they are done: they would leave files open. */
  async close(): Promise<void> {
    const untilMs = performance.now() + leaveMs
    const isBusy = () => this.#readers.some(({ pending }) => pending.length > 0)
    while (isBusy() && performance.now() < untilMs) await Bun.sleep(10)
    for (const reader of this.#readers.splice(0)) this.#end(reader, 'the walk is over')
  }

  #start(script: string): Reader {
    // A small heap costs no time here: what is read leaves in buffers.
    const worker = new Worker(script, { ref: false, smol: true })
    const reader: Reader = { worker, threads: [], pending: [] }
    worker.onmessage = ({ data }: MessageEvent<FoundBatch | string>) => {
      if (typeof data !== 'string') reader.pending.shift()?.resolve(data)
      else if (data !== '') {
        reader.threads.push(data)
        tellThread(data)
      }
    }
    worker.onerror = (event: ErrorEvent) => {
      event.preventDefault()
      workerLog.warn('a thread that reads a cache died', { reason: event.message })
      this.#end(reader, event.message)
    }
    return reader
  }

  #end(reader: Reader, reason: string): void {
    const place = this.#readers.indexOf(reader)
    if (place >= 0) this.#readers.splice(place, 1)
    endWorker(reader.worker, reader.threads)
    for (const { reject } of reader.pending.splice(0)) reject(new ReaderGone(reason))
  }
}
