import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { openState, type StateDatabase } from '../../../db/state/open.ts'
import { ManualTime, settle } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { SystemRouteParts } from '../parts.ts'
import { anonymous, type Role } from '../../core/caller.ts'
import { createAccess, type Gate } from '../../core/http/access.ts'
import { errors } from '../../core/http/errors.ts'
import type { OperationRequest, Operations } from '../../core/operations/contract.ts'
import { createOperations } from '../../core/operations/registry.ts'
import { operationsDrawerRoutes, operationsRoutes } from './routes.ts'

/** A header names the caller; the rest of the application is real. */
const gate: Gate = {
  limit() {},
  async identify(request) {
    const role = request.headers.get('x-role') as Role | null
    return role === null ? anonymous : { ...anonymous, kind: 'session', role, sessionId: 's' }
  },
  addressOf: () => null,
  antiforgery() {},
}

let folder: string
let state: StateDatabase
let time: ManualTime
let operations: Operations
let app: { handle(request: Request): Promise<Response> }

beforeEach(() => {
  folder = tempFolder('operations')
  state = openState(folder)
  time = new ManualTime()
  const hub = { publish: () => {} }
  operations = createOperations({ state, clock: time, log: quietLog, hub, timers: time })
  // The routes use nothing else.
  const deps = { operations, access: createAccess(gate).plugin } as unknown as SystemRouteParts
  app = new Elysia()
    .use(errors({ log: quietLog, unmatched: () => new Response('dashboard') }))
    .use(operationsRoutes(deps))
    .use(operationsDrawerRoutes(deps))
    .post('/start', () => operations.submit(request()))
})

afterEach(() => {
  state.close()
})

const request = (values: Partial<OperationRequest> = {}): OperationRequest => ({
  type: 'logProcessing',
  scope: 'bulk',
  name: 'Log processing',
  run: ({ signal, report }) =>
    new Promise((resolve) => {
      report({ percentComplete: 12.5, message: 'Reading', stageKey: 'reading', context: { n: 1 } })
      signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }))
    }),
  ...values,
})

async function call(path: string, options: { method?: string; role?: Role | null } = {}) {
  const { method = 'GET', role = 'user' } = options
  const headers: Record<string, string> = role === null ? {} : { 'x-role': role }
  const response = await app.handle(new Request(`http://localhost${path}`, { method, headers }))
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
}

const unknownId = '11111111-2222-4333-8444-555555555555'

describe('invalid input', () => {
  test.each([
    ['GET', '/api/operations/not-a-guid'],
    ['GET', '/api/operations/11111111222243338444555555555555'],
    ['POST', '/api/operations/7/cancel'],
    ['POST', '/api/operations/x/force-kill'],
  ])('%s %s is not a GUID', async (method, path) => {
    expect(await call(path, { method })).toEqual({
      status: 400,
      body: { error: 'The operation id is not a GUID' },
    })
  })

  test.each(['limit=201', 'limit=-1', 'limit=many', 'includeSilent=perhaps'])(
    'drawer with %s',
    async (query) => {
      expect((await call(`/api/ext/operations?${query}`)).status).toBe(400)
    },
  )
})

test('the life cycle of a job at its status endpoint', async () => {
  const nothing = { type: null, name: null, status: null, stageKey: null, context: null }
  const forgotten = { active: false, percentComplete: 100, message: null, error: null, ...nothing }
  expect(await call(`/api/operations/${unknownId.toUpperCase()}`)).toEqual({
    status: 200,
    body: { id: unknownId, ...forgotten },
  })
  const { operationId: id } = operations.submit(request())
  const scan = operations.submit(request({ type: 'evictionScan', name: 'Eviction scan' }))
  await settle()
  const running = {
    id,
    active: true,
    percentComplete: 12.5,
    message: 'Reading',
    type: 'logProcessing',
    name: 'Log processing',
    status: 'running',
    stageKey: 'reading',
    context: { n: 1 },
    error: null,
  }
  expect((await call(`/api/operations/${id}`)).body).toEqual(running)
  const parked = await call(`/api/operations/${scan.operationId}`)
  expect(parked.body).toMatchObject({ active: false, percentComplete: 100, status: 'waiting' })
  expect((await call('/api/operations/waiting')).body).toEqual([
    {
      operationId: scan.operationId,
      operationType: 'evictionScan',
      name: 'Eviction scan',
      blockedByName: 'Log processing',
    },
  ])

  const cancelled = await call(`/api/operations/${id}/cancel`, { method: 'POST' })
  expect(cancelled).toEqual({
    status: 200,
    body: {
      message: 'Cancellation requested',
      operationId: id,
      status: 'cancelling',
      alreadyFinished: false,
    },
  })
  await settle()
  expect((await call(`/api/operations/${id}`)).body).toMatchObject({
    active: false,
    percentComplete: 12.5,
    status: 'cancelled',
  })
  expect((await call(`/api/operations/${scan.operationId}`)).body).toMatchObject({ active: true })
  await time.advance(10_000)
  expect((await call(`/api/operations/${id}`)).body).toMatchObject({ percentComplete: 100 })
  const late = await call(`/api/operations/${id}/cancel`, { method: 'POST' })
  expect(late.body).toMatchObject({ status: 'cancelled', alreadyFinished: true })
})

test('unknown and finished jobs cannot be cancelled or killed', async () => {
  const missing = { status: 404, body: { error: 'Operation not found', operationId: unknownId } }
  expect(await call(`/api/operations/${unknownId}/cancel`, { method: 'POST' })).toEqual(missing)
  expect(await call(`/api/operations/${unknownId}/force-kill`, { method: 'POST' })).toEqual(missing)
  const { operationId } = operations.submit(request())
  operations.cancel(operationId)
  await settle()
  const kill = await call(`/api/operations/${operationId}/force-kill`, { method: 'POST' })
  expect(kill.status).toBe(404)
})

test('force-kill answers when the job has ended', async () => {
  const stuck = request({ run: () => new Promise(() => {}), kill: () => {} })
  const { operationId } = operations.submit(stuck)
  await settle()
  const answer = call(`/api/operations/${operationId}/force-kill`, { method: 'POST' })
  await time.advance(5_000)
  expect(await answer).toEqual({
    status: 200,
    body: { message: 'The operation was stopped by force', operationId },
  })
  expect(operations.find(operationId)?.status).toBe('failed')
})

test('the drawer lists running, queued and finished jobs', async () => {
  const quick = request({
    type: 'statusCheck',
    name: 'Check',
    run: async () => ({ kind: 'skipped' }),
  })
  const ended = operations.submit(quick)
  await settle()
  const running = operations.submit(request())
  const waiting = operations.submit(request({ type: 'gameDetection', name: 'Detection' }))
  const silent = operations.submit(request({ type: 'cacheSnapshot', isSilent: true }))
  const { body } = await call('/api/ext/operations')
  expect(body).toMatchObject({
    running: [{ id: running.operationId, status: 'running', finishedAt: null }],
    waiting: [{ id: waiting.operationId, blockedBy: { name: 'Log processing', nameKey: null } }],
    recent: [{ id: ended.operationId, status: 'skipped', finishedAt: '2026-03-01T12:00:00.000Z' }],
  })
  const all = (await call('/api/ext/operations?includeSilent=true&limit=0')).body
  expect(all).toMatchObject({
    running: [{ id: running.operationId }, { id: silent.operationId }],
    recent: [],
  })
})

test('a full queue answers 503', async () => {
  await operations.stop()
  const refused = await call('/start', { method: 'POST' })
  expect(refused).toEqual({ status: 503, body: { error: 'The service is stopping' } })
})
