import {
  ownThread,
  serveEngine,
  workInBackground,
  type JobContext,
} from '../../src/engines/engine.ts'
import { nicenessOf } from './niceness.ts'

/**
 * An engine with one job that sends forever, one that never answers, and one that blocks the
 * thread.
 */
const jobs = {
  async sendForever(_nothing: null, context: JobContext): Promise<void> {
    while (!context.isCancelled()) {
      context.progress({ isSending: true })
      await Bun.sleep(50)
    }
  },
  never: (_nothing: null): Promise<never> => new Promise(() => {}),
  echo: (text: string) => text,
  niceness(_nothing: null): number {
    workInBackground()
    return nicenessOf(ownThread())
  },
  block: (ms: number) => Bun.sleepSync(ms),
}
export type TestJobs = typeof jobs

serveEngine(jobs)
