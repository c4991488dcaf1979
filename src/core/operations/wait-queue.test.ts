import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openState, type StateDatabase } from '../../../db/state/open.ts'
import { manualJob as job } from '../../../test/support/manual-job.ts'
import { ManualTime, settle } from '../../../test/support/manual-time.ts'
import { quietLog as log } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { Operations } from './contract.ts'
import { createOperations } from './registry.ts'
import { removalsMax } from './wait-queue.ts'

let state: StateDatabase
let events: { event: string; data: unknown }[]
let operations: Operations
let time: ManualTime
let create: () => Operations

const sent = (event: string) => events.filter((entry) => entry.event === event).map((e) => e.data)

beforeEach(() => {
  state = openState(tempFolder('operations'))
  time = new ManualTime()
  const hub = { publish: (event: string, data: unknown) => void events.push({ event, data }) }
  events = []
  create = () => createOperations({ state, clock: time, log, hub, timers: time })
  operations = create()
})

afterEach(() => {
  state.close()
})

test('a job is queued behind a different one of the same type and scope', async () => {
  const first = job({ variant: 'one' })
  const running = operations.submit(first.request)
  expect(operations.submit(job({ variant: 'one' }).request)).toMatchObject({
    operationId: running.operationId,
    status: 'alreadyRunning',
  })
  const second = job({ variant: 'two' })
  const parked = operations.submit(second.request)
  expect(parked).toMatchObject({ queued: true, alreadyRunning: false, status: 'waiting' })
  const third = operations.submit(job({ variant: 'three' }).request)
  expect(third.operationId).not.toBe(parked.operationId)
  expect(operations.submit(job({ variant: 'two' }).request)).toEqual({
    ...parked,
    alreadyRunning: true,
  })
  first.end({ kind: 'completed' })
  await second.begun
  expect(operations.get(third.operationId)?.status).toBe('waiting')
})

test('limits the number of parallel removals, whatever they remove', async () => {
  const works = Array.from({ length: removalsMax + 2 }, (_, at) =>
    job({ type: 'gameRemoval', scope: `alpha:${at + 1}`, name: `Removal ${at}` }),
  )
  const ids = works.map(({ request }) => operations.submit(request).operationId)
  expect(operations.waiting().map(({ operationId }) => operationId)).toEqual(ids.slice(removalsMax))
  expect(operations.submit(job({ type: 'statusCheck', name: 'Check' }).request).status).toBe(
    'started',
  )
  works[3]?.end({ kind: 'completed' })
  await works[removalsMax]?.begun
  expect(operations.waiting().map(({ operationId }) => operationId)).toEqual(ids.slice(-1))
})

test('a cancelled job keeps its name and scope', async () => {
  const startedFields = { gameName: 'Nine', files: 0 }
  const events = { prefix: 'GameRemoval', startedFields } as const
  const removal = job({ type: 'gameRemoval', scope: 'alpha:9', name: 'Removal', events })
  operations.submit(removal.request)
  await removal.begun
  removal.end({ kind: 'cancelled', fields: { files: 3 } })
  await settle()
  expect(sent('GameRemovalStarted')).toMatchObject([{ gameName: 'Nine', files: 0 }])
  expect(sent('GameRemovalComplete')).toMatchObject([
    { gameName: 'Nine', files: 3, cancelled: true, success: false },
  ])
})

test.each(['stopped', 'killed'])(
  'a continued job that waits while the service is %s goes on as the same one',
  async (how) => {
    const run = { type: 'prefill', scope: 'one', outlives: () => true } as const
    const { operationId } = operations.submit(job(run).request)
    await settle()
    const next = create()
    next.recover()
    next.submit(job({ type: 'cacheClearing' }).request)
    const late = next.submit(job({ ...run, continues: operationId }).request)
    expect(late).toMatchObject({ operationId, status: 'waiting' })
    const fresh = next.submit(job({ ...run, scope: 'two' }).request)
    if (how === 'stopped') {
      const stopping = next.stop()
      await time.advance(5_000)
      await stopping
    }
    const last = create()
    last.recover()
    expect(last.held('prefill').map(({ id }) => id)).toEqual([operationId])
    const end = how === 'stopped' ? 'cancelled' : 'failed'
    expect(last.find(fresh.operationId)?.status).toBe(end)
    const work = job({ ...run, continues: operationId })
    expect(last.submit(work.request)).toMatchObject({ operationId, status: 'started' })
    expect((await work.begun).signal.aborted).toBe(false)
  },
)
