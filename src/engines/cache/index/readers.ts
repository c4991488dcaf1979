import { endWorker } from '../../end-worker.ts'
import { reportThread, workerLog } from '../../engine.ts'
import type { IndexBatch } from './index-batch.ts'
import type { ReadRequest } from './new-directories.ts'
import { programScript } from '../../../core/lib/program-files.ts'

/** Requests per reader: the next one is queued while an answer is written to the index. */
export const requestsEach = 2
/** How long readers may finish requests whose answers are no longer needed. */
const leaveMs = 2000

/** The reading thread has died. */
export class ReaderGone extends Error {}

interface Pending {
  resolve: (batch: IndexBatch) => void
  reject: (error: Error) => void
}

interface Reader {
  worker: Worker
  /** Entries of its thread below /proc, once it has sent them. */
  threads: string[]
  /** In the order of the requests, which is the order of the answers. */
  pending: Pending[]
}

/** Threads that read directories in parallel. */
export class Readers {
  readonly #readers: Reader[]

  /** `script`: overrides the reader script, for tests. */
  constructor(count: number, script = programScript('engines/cache/index/reader.worker')) {
    this.#readers = Array.from({ length: count }, () => this.#start(script))
  }

  /** How many are alive. */
  get count(): number {
    return this.#readers.length
  }

  /**
   * Sends the request to the least busy reader. Rejects with ReaderGone when it dies, or none is
   * left.
   */
  read(request: ReadRequest): Promise<IndexBatch> {
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

  /** Ends all threads, busy ones when they are done: terminating them would leak open files. */
  async close(): Promise<void> {
    const untilMs = performance.now() + leaveMs
    const isBusy = () => this.#readers.some(({ pending }) => pending.length > 0)
    while (isBusy() && performance.now() < untilMs) await Bun.sleep(10)
    for (const reader of this.#readers.splice(0)) this.#end(reader, 'the walk is over')
  }

  #start(script: string): Reader {
    // A small heap (`smol`) saves 5 MB a thread and costs a tenth of its time.
    const worker = new Worker(script, { ref: false })
    const reader: Reader = { worker, threads: [], pending: [] }
    worker.onmessage = ({ data }: MessageEvent<IndexBatch | string>) => {
      if (typeof data !== 'string') reader.pending.shift()?.resolve(data)
      else if (data !== '') {
        reader.threads.push(data)
        reportThread(data)
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
    void endWorker(reader.worker, reader.threads)
    for (const { reject } of reader.pending.splice(0)) reject(new ReaderGone(reason))
  }
}
