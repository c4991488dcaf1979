import { serveEngine, type JobContext } from '../../src/engines/engine.ts'

/** An engine of which one job talks for ever, one never answers, and one blocks the thread. */
const jobs = {
  async talk(_nothing: null, context: JobContext): Promise<void> {
    while (!context.isCancelled()) {
      context.progress({ isTalking: true })
      await Bun.sleep(50)
    }
  },
  never: (_nothing: null): Promise<never> => new Promise(() => {}),
  echo: (text: string) => text,
  block: (ms: number) => Bun.sleepSync(ms),
}
export type TalkingJobs = typeof jobs

serveEngine(jobs)
