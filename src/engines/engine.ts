/*
 * Worker threads. `engine.ts` is the worker side (named jobs, progress, cancel flag), `host.ts`
 * the main-thread side: one worker per engine. Input, progress, result and events of a job are
 * inferred from the worker's types. An engine with a thread has `contract.ts` (types), `facade.ts`
 * (main-thread side) and `<name>.worker.ts`.
 */
/** Worker side of an engine: runs named jobs for the main thread. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { errorText } from '../core/lib/error-text.ts'

export interface JobContext<Progress = never> {
  /** Structured-clonable facts; the jobs themselves send at most four a second. */
  progress(report: Progress): void
  isCancelled(): boolean
}

/** How the caller of a job watches it: what cancels it, and where it reports. */
export interface Watch<Report> {
  signal: AbortSignal
  progress(report: Report): void
}

/** Jobs by name. `Engine` infers input, progress and result of each from its function. */
export type Jobs = Record<string, (input: never, context: JobContext) => unknown>

/** A message to a worker. Its sender and its receiver know the data by the job's type. */
export interface ToEngine<Data> {
  id: number
  job: string
  input: Data
  cancel: SharedArrayBuffer
}

/** A message from a worker. */
export type FromEngine<Data> =
  | { id: number; kind: 'progress'; report: Data }
  | { id: number; kind: 'done'; output: Data }
  | { id: number; kind: 'failed'; message: string }
  | { id: 0; kind: 'thread'; thread: string }
  | { id: 0; kind: 'event'; event: string; data: Data }
  | { id: 0; kind: 'log'; level: 'debug' | 'info' | 'warn' | 'error'; text: string; facts: object }

/** A job as it is sent to a worker. */
export interface SentJob {
  id: number
  job: string
  input: unknown
  /** It was cancelled before it began. */
  isCancelled: boolean
}

/** Where an engine's jobs run: a thread of this process, or an engine on a node. */
export interface EngineWorker {
  /** Starts a job. Returns how to cancel it. */
  post(job: SentJob): () => void
  /**
   * Ends it, even in an endless loop. Null: it has ended; otherwise settles when the system call
   * that blocks it returns.
   */
  end(): Promise<void> | null
}

/** What a worker reports until it is ended. */
export interface WorkerEvents {
  message(message: FromEngine<never>): void
  /** It runs no longer. */
  crash(reason: string): void
}

export type Launch = (events: WorkerEvents) => EngineWorker

declare const self: Worker

const send = (message: FromEngine<unknown>) => self.postMessage(message)

/** Sends events that no job waits for, for example current speeds. `Events`: data by name. */
export const emitter =
  <Events>() =>
  <Name extends keyof Events & string>(event: Name, data: Events[Name]) =>
    send({ id: 0, kind: 'event', event, data })

/** The main thread writes a worker's log lines, so that lines never interleave. */
export const workerLog = {
  debug: (text: string, facts: object = {}) =>
    send({ id: 0, kind: 'log', level: 'debug', text, facts }),
  info: (text: string, facts: object = {}) =>
    send({ id: 0, kind: 'log', level: 'info', text, facts }),
  warn: (text: string, facts: object = {}) =>
    send({ id: 0, kind: 'log', level: 'warn', text, facts }),
  error: (text: string, facts: object = {}) =>
    send({ id: 0, kind: 'log', level: 'error', text, facts }),
}

/** This thread's entry below /proc; empty where the system has none. */
export function ownThread(): string {
  try {
    return readlinkSync('/proc/thread-self')
  } catch {
    return ''
  }
}

/** Niceness of background threads. */
const patience = 10

/**
 * Lowers this thread's priority for good: requests, ingestion and the proxy on this machine come
 * first. Without permission, nothing changes.
 */
export function workInBackground(): void {
  const thread = Number(basename(ownThread()))
  if (!Number.isSafeInteger(thread) || thread === 0) return
  try {
    setPriority(thread, patience)
  } catch {
    // The system does not allow it.
  }
}

/** Reports a thread, by its own name, that ends together with this one. */
export const reportThread = (thread: string) => send({ id: 0, kind: 'thread', thread })

/** Installs the message handler. Call it at the top of a worker, before any `await`. */
export function serveEngine(jobs: Jobs): void {
  reportThread(ownThread())
  self.onmessage = async ({ data }: MessageEvent<ToEngine<never>>) => {
    const { id, job, input, cancel } = data
    const flag = new Int32Array(cancel)
    try {
      const run = jobs[job]
      if (run === undefined) throw new Error(`there is no job ${job}`)
      const output = await run(input, {
        progress: (report) => send({ id, kind: 'progress', report }),
        isCancelled: () => Atomics.load(flag, 0) === 1,
      })
      send({ id, kind: 'done', output })
    } catch (error) {
      send({ id, kind: 'failed', message: errorText(error) })
    }
  }
}
