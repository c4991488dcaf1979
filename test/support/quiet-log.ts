import pino from 'pino'
import type { Logger } from '../../src/core/lib/log.ts'

/** A logger without output, or with all of it if TEST_LOG=trace. */
export const quietLog: Logger = pino({ level: process.env.TEST_LOG ?? 'silent' })
