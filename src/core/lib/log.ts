import pino from 'pino'

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

/** JSON lines on standard output, synchronous so that nothing is lost when the process dies. */
export function createLogger(level: string): Logger {
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretPaths, censor: '[secret]' },
  }
  return pino(options, pino.destination({ fd: 1, sync: true }))
}
