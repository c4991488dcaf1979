import pino from 'pino'
import type { RecentLog } from './recent-log.ts'

export type Logger = pino.Logger

/** Paths that pino redacts, so that a careless log call cannot leak a secret. */
const secretPaths = [
  'password',
  'apiKey',
  'token',
  '*.password',
  '*.apiKey',
  '*.token',
  'headers.cookie',
  'headers.authorization',
  'headers["x-api-key"]',
]

/**
 * JSON lines on standard output, synchronous so that nothing is lost when the process dies. The
 * newest ones are also kept in `recent`.
 */
export function createLogger(level: string, recent?: RecentLog): Logger {
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretPaths, censor: '[secret]' },
  }
  const output = pino.destination({ fd: 1, sync: true })
  return pino(options, {
    write(line) {
      output.write(line)
      recent?.write(line)
    },
  })
}
