import { serveEngine } from '../engine.ts'
import { catalogueJobs } from './jobs.ts'

serveEngine(catalogueJobs)
