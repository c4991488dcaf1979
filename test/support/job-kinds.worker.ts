import {
  ownThread,
  serveEngine,
  workInBackground,
  type JobContext,
} from '../../src/engines/engine.ts'
import { nicenessOf } from './niceness.ts'

let counted = 0

/**
 * An engine with one job that sends forever, one that never answers, one that blocks the thread and
 * one that crashes it.
 */
const jobs = {
  async sendForever(_nothing: null, context: JobContext<{ isSending: boolean }>): Promise<void> {
    while (!context.isCancelled()) {
      context.progress({ isSending: true })
      await Bun.sleep(50)
    }
  },
  never: (_nothing: null): Promise<never> => new Promise(() => {}),
  /** Starts at 1 in every worker. */
  count: (_nothing: null) => ++counted,
  crash(_nothing: null): Promise<never> {
    setTimeout(() => {
      throw new Error('out of order')
    })
    return new Promise(() => {})
  },
  echo: (text: string) => text,
  niceness(_nothing: null): number {
    workInBackground()
    return nicenessOf(ownThread())
  },
  block: (ms: number) => Bun.sleepSync(ms),
}
export type TestJobs = typeof jobs

serveEngine(jobs)
