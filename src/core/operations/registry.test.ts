import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openState, type StateDatabase } from '../../../db/state/open.ts'
import { manualJob as job } from '../../../test/support/manual-job.ts'
import { ManualTime, settle } from '../../../test/support/manual-time.ts'
import { quietLog as log } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { OperationRefused, type Operations } from './contract.ts'
import { createOperations } from './registry.ts'
import { waitingMax } from './wait-queue.ts'

type Data = Record<string, unknown>

let folder: string
let state: StateDatabase
let time: ManualTime
let events: { event: string; data: Data }[]
let operations: Operations

const hub = {
  publish: (event: string, data: unknown) => void events.push({ event, data: data as Data }),
}
const create = () => createOperations({ state, clock: time, log, hub, timers: time })
const names = () => events.map(({ event }) => event)
const sent = (event: string) => events.filter((entry) => entry.event === event).map((e) => e.data)

beforeEach(() => {
  folder = tempFolder('operations')
  state = openState(folder)
  time = new ManualTime()
  events = []
  operations = create()
})

afterEach(() => {
  state.close()
})

test('a job is a row before it runs and history after it ended', async () => {
  const work = job()
  const { operationId, ...rest } = operations.submit(work.request)
  expect(rest).toEqual({ queued: false, alreadyRunning: false, status: 'started' })
  const row = state.sqlite.query('SELECT status FROM operation WHERE id = ?').get(operationId)
  expect(row).toEqual({ status: 'running' })
  const context = await work.begun
  expect(context.operationId).toBe(operationId)

  work.end({ kind: 'completed', message: 'done' })
  await settle()
  expect(operations.get(operationId)).toMatchObject({ status: 'completed', percentComplete: 100 })
  await time.advance(9_999)
  expect(operations.list()).toHaveLength(1)
  await time.advance(1)
  expect(operations.get(operationId)).toBeNull()
  expect(operations.list()).toEqual([])
  expect(operations.find(operationId)).toMatchObject({ status: 'completed', message: 'done' })
  expect(operations.recent({ limit: 5 }).map(({ id }) => id)).toEqual([operationId])
})

describe('the queue', () => {
  test('returns the identical running or queued job', async () => {
    const running = operations.submit(job().request)
    const same = operations.submit(job().request)
    expect(same).toEqual({
      operationId: running.operationId,
      queued: false,
      alreadyRunning: true,
      status: 'alreadyRunning',
    })
    const detection = { type: 'gameDetection', name: 'Detection' } as const
    const parked = operations.submit(job(detection).request)
    expect(parked).toMatchObject({ queued: true, alreadyRunning: false, status: 'waiting' })
    const again = operations.submit(job(detection).request)
    expect(again).toEqual({ ...parked, alreadyRunning: true })
    const other = operations.submit(job({ ...detection, name: 'Another name' }).request)
    expect(other.operationId).not.toBe(parked.operationId)
    expect(operations.waiting()[0]).toEqual({
      operationId: parked.operationId,
      operationType: 'gameDetection',
      name: 'Detection',
      blockedBy: { name: 'Log processing', nameKey: null, nameContext: null },
    })
    await settle()
  })

  test('promotes in order under the same id; independent jobs overtake', async () => {
    const first = job()
    const second = job({ type: 'cacheSizeScan', name: 'Size scan' })
    const third = job({ type: 'gameRemoval', scope: 'alpha:1', name: 'Removal' })
    const free = job({ type: 'statusCheck', name: 'Status check' })
    operations.submit(first.request)
    const scan = operations.submit(second.request)
    const removal = operations.submit(third.request)
    expect(operations.submit(free.request).status).toBe('started')
    expect(removal.status).toBe('waiting')

    first.end({ kind: 'completed' })
    await settle()
    expect(operations.get(scan.operationId)?.status).toBe('running')
    expect(operations.get(removal.operationId)?.status).toBe('waiting')
    expect(operations.waiting()[0]?.blockedBy?.name).toBe('Size scan')
    expect(sent('OperationWaiting').at(-1)).toMatchObject({ blockedByName: 'Size scan' })
    expect(sent('OperationWaitingComplete')).toEqual([
      {
        operationId: scan.operationId,
        operationType: 'cacheSizeScan',
        cancelled: false,
        promoted: true,
        error: null,
      },
    ])
    second.end({ kind: 'failed', error: 'disk' })
    await settle()
    expect(operations.get(removal.operationId)?.status).toBe('running')
  })

  test('an exclusive job gets its turn, and a cancel lets the rest continue', async () => {
    operations.submit(job({ type: 'statusCheck', name: 'Check' }).request)
    const reset = operations.submit(job({ type: 'databaseReset', name: 'Reset' }).request)
    const later = operations.submit(job({ type: 'dataImport', name: 'Import' }).request)
    expect([reset.status, later.status]).toEqual(['waiting', 'waiting'])
    const outcome = operations.cancel(reset.operationId)
    expect(outcome).toEqual({ status: 'cancelled', alreadyFinished: false })
    expect(operations.get(later.operationId)?.status).toBe('running')
    expect(sent('OperationWaitingComplete')[0]).toMatchObject({ cancelled: true, promoted: false })
    await settle()
  })

  test('is bounded', async () => {
    operations.submit(job().request)
    for (let index = 0; index < waitingMax; index++) {
      operations.submit(job({ type: 'gameRemoval', scope: `alpha:${index}` }).request)
    }
    const oneMore = job({ type: 'gameRemoval', scope: 'alpha:more' })
    expect(() => operations.submit(oneMore.request)).toThrow(OperationRefused)
    expect(operations.waiting()).toHaveLength(waitingMax)
    const rows = state.sqlite.query('SELECT count(*) AS n FROM operation').get()
    expect(rows).toEqual({ n: waitingMax + 1 })
    await settle()
  })

  test('retries a job that is not ready every 100 ms, 300 times at most', async () => {
    let isReady = false
    const late = operations.submit(job({ isReady: () => isReady }).request)
    expect(late.status).toBe('waiting')
    await time.advance(5_000)
    expect(operations.get(late.operationId)?.status).toBe('waiting')
    isReady = true
    await time.advance(100)
    expect(operations.get(late.operationId)?.status).toBe('running')

    const never = job({ type: 'statusCheck', isReady: () => false })
    const { operationId } = operations.submit(never.request)
    await time.advance(29_900)
    expect(operations.get(operationId)?.status).toBe('waiting')
    await time.advance(100)
    expect(operations.get(operationId)).toMatchObject({ status: 'failed' })
    expect(time.pending).toBe(1)
  })
})

describe('ending', () => {
  test('cancel raises the signal; the first end wins; a second cancel reports that', async () => {
    const work = job()
    const { operationId } = operations.submit(work.request)
    const { signal } = await work.begun
    expect(operations.cancel(operationId)).toEqual({ status: 'cancelling', alreadyFinished: false })
    expect(signal.aborted).toBe(true)
    const successor = operations.submit(job().request)
    expect(successor).toMatchObject({ status: 'waiting', alreadyRunning: false })
    work.end({ kind: 'completed' })
    await settle()
    const late = operations.cancel(operationId)
    expect(late).toEqual({ status: 'completed', alreadyFinished: true })
    expect(operations.get(successor.operationId)?.status).toBe('running')
    await time.advance(10_001)
    expect(operations.cancel(operationId)).toEqual({ status: 'completed', alreadyFinished: true })
    expect(operations.cancel(crypto.randomUUID())).toBeNull()
  })

  test('a thrown abort is a cancel, any other error a failure without its text', async () => {
    const cancelled = job()
    const first = operations.submit(cancelled.request)
    const { signal } = await cancelled.begun
    operations.cancel(first.operationId)
    cancelled.fail(signal.reason)
    await settle()
    expect(operations.get(first.operationId)?.status).toBe('cancelled')

    const broken = job({ name: 'Broken' })
    const second = operations.submit(broken.request)
    broken.fail(new Error('secret /path'))
    await settle()
    const view = operations.get(second.operationId)
    expect(view?.status).toBe('failed')
    expect(view?.error).toBe('Broken failed unexpectedly; see the service’s log')
  })

  test('force-kill waits five seconds, kills, frees the slot; ignores late reports', async () => {
    let kills = 0
    const stuck = job({ kill: () => void kills++ })
    const { operationId } = operations.submit(stuck.request)
    const context = await stuck.begun
    const next = operations.submit(job({ type: 'gameDetection', name: 'Next' }).request)
    const killing = operations.forceKill(operationId)
    await time.advance(4_999)
    expect([kills, operations.get(operationId)?.status]).toEqual([0, 'cancelling'])
    await time.advance(1)
    expect(await killing).toBe('failed')
    expect(kills).toBe(1)
    expect(operations.get(next.operationId)?.status).toBe('running')
    context.report({ percentComplete: 50 })
    stuck.end({ kind: 'completed' })
    await settle()
    expect(operations.get(operationId)).toMatchObject({ status: 'failed', percentComplete: 0 })
    expect(await operations.forceKill(operationId)).toBeNull()
    expect(await operations.forceKill(crypto.randomUUID())).toBeNull()
  })

  test('a job cancelled before its first turn never runs', async () => {
    const { operationId } = operations.submit(job({ run: () => expect.unreachable() }).request)
    operations.cancel(operationId)
    await settle()
    expect(operations.get(operationId)?.status).toBe('cancelled')
  })

  test('force-kill spares a job that obeys, and survives a kill that throws or hangs', async () => {
    const obedient = job({ kill: () => expect.unreachable() })
    const first = operations.submit(obedient.request)
    const killing = operations.forceKill(first.operationId)
    obedient.end({ kind: 'cancelled' })
    await settle()
    expect(await killing).toBe('cancelled')

    const throwing = job({ kill: () => Promise.reject(new Error('no')) })
    const second = operations.submit(throwing.request)
    await throwing.begun
    const killingSecond = operations.forceKill(second.operationId)
    await time.advance(5_000)
    expect(await killingSecond).toBe('failed')

    const hanging = job({ kill: () => new Promise<void>(() => {}) })
    const third = operations.submit(hanging.request)
    await hanging.begun
    const killingThird = operations.forceKill(third.operationId)
    await time.advance(8_000)
    expect(await killingThird).toBe('failed')
  })

  test('stop ends everything within its time limit and accepts no more jobs', async () => {
    const work = job({ kill: () => {} })
    const stuck = operations.submit(work.request)
    await work.begun
    const left = job({ type: 'prefill', outlives: () => true })
    const { operationId } = operations.submit(left.request)
    const { signal, report } = await left.begun
    const parked = operations.submit(job({ type: 'gameDetection' }).request)
    const stopping = operations.stop()
    await time.advance(5_000)
    await stopping
    report({ message: 'late' })
    await time.advance(1000)
    expect(signal.aborted).toBe(false)
    expect(operations.find(operationId)).toMatchObject({ status: 'running', message: null })
    expect(operations.get(stuck.operationId)?.status).toBe('failed')
    expect(operations.get(parked.operationId)?.status).toBe('cancelled')
    expect(() => operations.submit(job({ type: 'statusCheck' }).request)).toThrow(OperationRefused)
  })
})

test('a restart marks leftover jobs as failed, once', async () => {
  const running = operations.submit(job().request)
  const parked = operations.submit(job({ type: 'cacheClearing', name: 'Clear' }).request)
  await settle()
  state.close()
  state = openState(folder)
  const next = create()
  expect(next.recover()).toBe(2)
  const interrupted: string[] = []
  next.onInterrupted((jobs) => interrupted.push(...jobs.map(({ id }) => id)))
  expect(interrupted.toSorted()).toEqual([running.operationId, parked.operationId].toSorted())
  expect(next.recover()).toBe(0)
  expect(next.find(running.operationId)).toMatchObject({
    status: 'failed',
    stageKey: 'signalr.logProcessing.stale',
    error: 'Interrupted: the service was restarted while this was running',
    finishedAt: time.now(),
  })
  expect(next.find(parked.operationId)?.stageKey).toBe('signalr.cacheClear.stale')
  expect(next.list()).toEqual([])
  expect(next.submit(job().request).status).toBe('started')
})

test('a job that outlives the service goes on as the same one, or ends when nothing does', async () => {
  const run = { type: 'prefill', scope: 'one' } as const
  const going = operations.submit(job(run).request)
  const gone = operations.submit(job({ ...run, scope: 'two' }).request)
  const unwanted = operations.submit(job({ ...run, scope: 'three' }).request)
  const cancelled = operations.submit(job({ ...run, scope: 'four' }).request)
  const parked = operations.submit(job({ ...run, scope: 'five' }).request)
  await settle()
  operations.cancel(cancelled.operationId)
  const before = operations.get(going.operationId)
  await time.advance(60_000)
  state.close()
  state = openState(folder)
  const next = create()
  const interrupted: string[] = []
  next.onInterrupted((jobs) => interrupted.push(...jobs.map(({ id }) => id)))
  expect(next.recover()).toBe(0)
  expect(next.held('prefill')).toHaveLength(5)
  expect(next.recent({ limit: 9 })).toEqual([])
  const work = job({ ...run, continues: going.operationId })
  expect(next.submit(work.request).operationId).toBe(going.operationId)
  await settle()
  expect(next.get(going.operationId)).toEqual(before)
  const answer = { status: 'cancelling', alreadyFinished: false } as const
  expect(next.cancel(unwanted.operationId)).toEqual(answer)
  expect(next.get(unwanted.operationId)?.status).toBe('cancelling')
  expect(await next.forceKill(unwanted.operationId)).toBe('cancelling')
  // Nothing else keeps it from telling its daemon.
  next.submit(job({ type: 'cacheClearing' }).request)
  const told = job({ ...run, scope: 'four', continues: cancelled.operationId })
  expect(next.submit(told.request).operationId).toBe(cancelled.operationId)
  expect((await told.begun).signal.aborted).toBe(true)
  told.end({ kind: 'cancelled' })
  const late = job({ ...run, scope: 'five', continues: parked.operationId })
  expect(next.submit(late.request)).toMatchObject({ operationId: parked.operationId, queued: true })
  expect(next.cancel(parked.operationId)).toEqual(answer)
  expect((await late.begun).signal.aborted).toBe(true)
  late.end({ kind: 'cancelled' })
  next.endHeld()
  expect(interrupted).toEqual([gone.operationId, unwanted.operationId])
  expect(next.held('prefill')).toEqual([])
  work.end({ kind: 'completed' })
  await settle()
  const ended = next.recent({ limit: 9 }).map(({ scope, status }) => `${scope} ${status}`)
  const cancelledOnes = ['five cancelled', 'four cancelled', 'three cancelled']
  expect(ended.toSorted()).toEqual([...cancelledOnes, 'one completed', 'two failed'].toSorted())
})

test('progress is passed on four times a second, and the last report always', async () => {
  const work = job({ events: { prefix: 'LogProcessing', showNotification: true } })
  const { operationId } = operations.submit(work.request)
  const context = await work.begun
  for (let step = 1; step <= 100; step++) {
    context.report({ percentComplete: step / 2, fields: { entriesSaved: step } })
    await time.advance(10)
  }
  expect(sent('LogProcessingProgress')).toHaveLength(5)
  context.report({ percentComplete: 20 })
  expect(operations.get(operationId)?.percentComplete).toBe(50)
  context.report({ percentComplete: Number.NaN, message: 'nearly' })
  context.report({ percentComplete: 60, context: { count: 3 } })
  work.end({ kind: 'completed', fields: { entriesProcessed: 7 } })
  await settle()
  expect(sent('LogProcessingProgress').at(-1)).toMatchObject({
    operationId,
    status: 'running',
    percentComplete: 60,
    message: 'nearly',
    context: { count: 3 },
  })
  expect(sent('LogProcessingStarted')[0]).toMatchObject({ operationId, showNotification: true })
  expect(sent('LogProcessingComplete')).toEqual([
    {
      timestamp: expect.stringMatching(/Z$/) as string,
      operationId,
      success: true,
      status: 'completed',
      stageKey: 'signalr.logProcessing.complete',
      cancelled: false,
      error: null,
      context: { count: 3 },
      message: 'nearly',
      entriesProcessed: 7,
      showNotification: true,
    },
  ])
  expect(names().at(-1)).toBe('LogProcessingComplete')
  expect(sent('OperationUpdated').at(-1)).toMatchObject({ id: operationId, status: 'completed' })
})

test('bounds the history, and that of silent runs separately', async () => {
  const insert = state.sqlite.prepare(
    `INSERT INTO operation (id, type, scope, name, status, percent_complete, is_silent,
       created_at, finished_at) VALUES (?, 'statusCheck', 'bulk', 'Old', 'completed', 100, ?, ?, ?)`,
  )
  for (let at = 1; at <= 600; at++) insert.run(crypto.randomUUID(), at % 2, at, at)
  for (let at = 601; at <= 900; at++) insert.run(crypto.randomUUID(), 0, at, at)
  const count = (isSilent: number) =>
    state.sqlite.query('SELECT count(*) AS n FROM operation WHERE is_silent = ?').get(isSilent)
  operations.recover()
  expect([count(0), count(1)]).toEqual([{ n: 500 }, { n: 100 }])
  expect(operations.recent({ limit: 1 })[0]?.finishedAt?.getTime()).toBe(900)
  expect(operations.recent({ limit: 700 })).toHaveLength(500)
  expect(operations.recent({ limit: 700, includeSilent: true })).toHaveLength(600)
})
