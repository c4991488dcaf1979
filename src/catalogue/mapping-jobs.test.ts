import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openState, type StateDatabase } from '../../db/state/open.ts'
import { ManualTime } from '../../test/support/manual-time.ts'
import { quietLog as log } from '../../test/support/quiet-log.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { OperationResult } from '../core/operations/contract.ts'
import { named } from '../core/operations/names.ts'
import { createOperations } from '../core/operations/registry.ts'
import { createMappingJobs } from './mapping-jobs.ts'

let state: StateDatabase
let jobs: ReturnType<typeof createMappingJobs>

beforeEach(() => {
  state = openState(tempFolder('mapping-jobs'))
  const time = new ManualTime()
  const hub = { publish: () => {} }
  const operations = createOperations({ state, clock: time, log, hub, timers: time })
  jobs = createMappingJobs(operations, 'betaMapping')
})
afterEach(() => state.close())

const begin = (run: () => Promise<OperationResult>) =>
  jobs.begin({ scope: 'beta', ...named('betaMapping'), run })

test('a job that throws has failed for the one who waits', async () => {
  const { done } = begin(() => Promise.reject(new Error('no room')))
  expect(await done).toMatchObject({
    kind: 'failed',
    error: expect.stringContaining('failed unexpectedly'),
  })
})

test('whoever joins an active job has its result', async () => {
  const work = Promise.withResolvers<OperationResult>()
  const first = begin(() => work.promise)
  const second = begin(() => Promise.resolve({ kind: 'cancelled' }))
  expect(second.queued.operationId).toBe(first.queued.operationId)
  work.resolve({ kind: 'completed' })
  expect(await Promise.all([first.done, second.done])).toEqual([
    { kind: 'completed' },
    { kind: 'completed' },
  ])
})
