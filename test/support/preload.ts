import { afterAll } from 'bun:test'
import { cleanups } from './cleanup.ts'

// Tests never read the machine's settings; each builds its configuration from a plain object.
process.env.TZ = 'UTC'

// Outside every file: runs after the last one.
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup()
})
