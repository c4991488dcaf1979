import { serveEngine } from '../engine.ts'
import { corruptionJobs } from './corruption/corruption-jobs.ts'
import { doctorJobs } from './doctor/doctor-jobs.ts'
import { indexJobs } from './index/index-jobs.ts'
import { removalJobs } from './removal/removal-jobs.ts'

/** Every job of the cache engine: they share one thread, the only writer of `cache.sqlite`. */
const jobs = { ...indexJobs, ...corruptionJobs, ...removalJobs, ...doctorJobs }

export type CacheJobs = typeof jobs

serveEngine(jobs)
