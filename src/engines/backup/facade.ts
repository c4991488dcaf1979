import type { Logger } from '../../core/lib/log.ts'
import { Engine } from '../host.ts'
import type { BackupJobs } from './backup.worker.ts'
import type { BackupEngine } from './contract.ts'

/** An idle worker ends after this. */
const idleMs = 10_000

/** The first call starts the worker; it ends when it has nothing to do. */
export function createBackupEngine(log: Logger): BackupEngine {
  const engine = new Engine<BackupJobs>({
    name: 'backup',
    script: new URL('./backup.worker.ts', import.meta.url).href,
    log,
    hasSmallHeap: true,
    idleMs,
  })
  return {
    make: (request, run) => engine.run('make', request, run),
    check: (file, run) => engine.run('check', file, run),
    stage: (request, run) => engine.run('stage', request, run),
    kill: () => engine.kill(),
    stop: () => engine.kill('was stopped'),
  }
}
