import './in-memory.ts'
import './trust-localhost.ts'
import { afterAll } from 'bun:test'
import { cleanups } from './cleanup.ts'

// Tests never read the machine's settings; each builds its configuration from a plain object.
process.env.TZ = 'UTC'

// Outside every file: runs after the last one. A program is stopped before its folder is removed.
afterAll(async () => {
  const failures: unknown[] = []
  for (const cleanup of cleanups.splice(0).toReversed()) {
    await cleanup().catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw new AggregateError(failures, 'clean-up failed')
})
