import { serveEngine, workInBackground } from '../engine.ts'
import { catalogueJobs } from './jobs.ts'

workInBackground()
serveEngine(catalogueJobs)
