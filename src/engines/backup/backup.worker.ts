import { serveEngine, type JobContext } from '../engine.ts'
import type {
  Made,
  MakeProgress,
  MakeRequest,
  Manifest,
  StageProgress,
  StageRequest,
} from './contract.ts'
import { makeSnapshot } from './make.ts'
import { checkSnapshot, stageSnapshot } from './stage.ts'

const jobs = {
  make: (request: MakeRequest, context: JobContext<MakeProgress>): Promise<Made> =>
    makeSnapshot(request, context),
  check: (file: string, context: JobContext<StageProgress>): Promise<void> =>
    checkSnapshot(file, context),
  stage: (request: StageRequest, context: JobContext<StageProgress>): Promise<Manifest> =>
    stageSnapshot(request, context),
}

export type BackupJobs = typeof jobs

serveEngine(jobs)
