import { endWorker } from './end-worker.ts'
import type { FromEngine, Launch, ToEngine } from './engine.ts'

/** Runs jobs in a thread of this process; a job is cancelled by a flag in shared memory. */
export function launchThread(script: string, hasSmallHeap: boolean): Launch {
  return (events) => {
    const worker = new Worker(script, { ref: false, smol: hasSmallHeap })
    /** Entries of the thread and those that it started below /proc, once sent. */
    const threads = new Set<string>()
    worker.onmessage = ({ data }: MessageEvent<FromEngine<never>>) => {
      if (data.kind === 'thread' && data.thread !== '') threads.add(data.thread)
      events.message(data)
    }
    worker.onerror = (event: ErrorEvent) => events.crash(event.message)
    return {
      post({ id, job, input, isCancelled }) {
        const cancel = new SharedArrayBuffer(4)
        const abort = () => void Atomics.store(new Int32Array(cancel), 0, 1)
        if (isCancelled) abort()
        worker.postMessage({ id, job, input, cancel } satisfies ToEngine<unknown>)
        return abort
      },
      end() {
        worker.onmessage = () => {}
        worker.onerror = () => {}
        return endWorker(worker, threads)
      },
    }
  }
}
