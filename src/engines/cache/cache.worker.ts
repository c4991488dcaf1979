import { serveEngine } from '../engine.ts'
import { indexJobs } from './index-jobs.ts'

/** Every job of the cache engine: they share one thread and the only writer of `cache.sqlite`. */
const jobs = { ...indexJobs }

export type CacheJobs = typeof jobs

serveEngine(jobs)
