import { expect, test } from 'bun:test'
import { stageKey } from './stage-keys.ts'

test.each([
  ['gameRemoval', 'alpha:440', 'signalr.gameRemove.cancelled', 'signalr.gameRemove.error.fatal'],
  ['gameRemoval', 'beta:b1', 'signalr.betaRemove.cancelled', 'signalr.betaRemove.error.fatal'],
  [
    'gameRemoval',
    'named:riot:VALORANT',
    'signalr.namedRemove.cancelled',
    'signalr.namedRemove.error.fatal',
  ],
  [
    'evictionRemoval',
    'beta:b1',
    'signalr.evictionRemove.cancelled',
    'signalr.evictionRemove.failed',
  ],
  [
    'corruptionDetection',
    'structural:full',
    'signalr.corruptionDetect.cancelled',
    'signalr.corruptionDetect.failed',
  ],
  ['databaseReset', 'bulk', 'signalr.dbReset.cancelled', 'signalr.dbReset.failed'],
  [
    'statusCheck',
    'bulk',
    'signalr.scheduledRun.statusCheck.cancelled',
    'signalr.scheduledRun.statusCheck.error.fatal',
  ],
] as const)('%s of %s', (type, scope, cancelled, failed) => {
  expect(stageKey({ type, scope }, 'cancelled')).toBe(cancelled)
  expect(stageKey({ type, scope }, 'error.fatal')).toBe(failed)
})
