/*
 * Writes and unpacks snapshots: a compressed archive of `manifest.json`, SQLite files, files of
 * `security/` and `themes/`, and one `COPY` text per table of the history, in parts of 4 MiB, so
 * that memory does not depend on the size of the data.
 *
 * A snapshot holds what Larder wrote. Both directions use one test of names. Other files in
 * `security/` and `themes/` (copies of editors, files of desktops) are not packed, are not
 * restored from earlier snapshots, and stay in place during a restore. A name that is no plain
 * file name makes the whole archive unusable.
 *
 * Positions and history are of one moment. The shipper pauses between two batches; `hot.sqlite` is
 * copied (`VACUUM INTO`) and a repeatable-read transaction of the history is opened, then it goes
 * on. All else is copied while the service works.
 *
 * An old history is restored as it was, then migrated. Its tables are made by the migrations that
 * the snapshot had, filled with their triggers off, and brought to the newest schema in the same
 * transaction.
 */
import type { Logger } from '../../core/lib/log.ts'
import { Engine } from '../host.ts'
import type { BackupJobs } from './backup.worker.ts'
import type { BackupEngine } from './contract.ts'
import { programScript } from '../../core/lib/program-files.ts'

/** An idle worker ends after this. */
const idleMs = 10_000

/** The first call starts the worker; it ends when it has nothing to do. */
export function createBackupEngine(log: Logger): BackupEngine {
  const engine = new Engine<BackupJobs>({
    name: 'backup',
    script: programScript('engines/backup/backup.worker'),
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
