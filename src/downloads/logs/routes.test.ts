import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { logLine } from '../../../test/support/log-lines.ts'
import { settle } from '../../../test/support/manual-time.ts'
import { reportApp, type ReportApp } from '../../../test/support/report-app.ts'

let app: ReportApp
beforeEach(async () => {
  app = await reportApp({
    counts: { default: { steam: 40, xboxlive: 2 }, other: { steam: 2 } },
  })
})
afterEach(() => app.stop())

const bodyOf = async (response: Response) => JSON.parse(await response.text())

describe('log files', () => {
  test("path of the default datasource's log and whether it exists", async () => {
    const path = join(app.root, 'logs')
    expect(await app.read('/api/logs', 'user')).toEqual({ path, exists: true })
  })

  test('lines in the files by service, in total and by datasource', async () => {
    const lines = (tag: string, count: number) => logLine({ tag }).repeat(count)
    const folder = join(app.root, 'logs')
    writeFileSync(join(folder, 'access.log'), `${lines('steam', 3)}not a request\n`)
    writeFileSync(join(folder, 'access.log.1'), lines('riot', 2) + lines('steam', 1))
    writeFileSync(join(folder, 'access.log.2.gz'), 'no archive')
    expect(await app.read('/api/logs/service-counts', 'user')).toEqual({ steam: 4, riot: 2 })
    expect(await app.read('/api/logs/service-counts/by-datasource', 'user')).toEqual([
      {
        datasource: 'default',
        logsPath: folder,
        logsWritable: true,
        enabled: true,
        serviceCounts: { steam: 4, riot: 2 },
        otherLines: 0,
        unreadableLines: 1,
        leftOut: [{ file: 'access.log.2.gz', reason: 'damaged' }],
      },
    ])
  })

  test('counted requests are a different number', async () => {
    expect(await app.read('/api/database/log-entries-count', 'user')).toEqual({ count: 44 })
  })
})

describe('positions', () => {
  test.each([
    [{ position: 0 }, 'beginning', 0],
    [{ position: 0, reset: false }, 'beginning', 0],
    [{ position: 5 }, 'end', 12],
    [{ position: -1 }, 'end', 12],
    [{ position: null, reset: true }, 'end', 12],
    [{}, 'end', 12],
  ])('%j moves to the %s', async (body, to, position) => {
    const response = await app.send('PATCH', '/api/logs/position', 'user', body)
    expect(response.status).toBe(200)
    expect((await bodyOf(response)).position).toBe(position)
    expect(app.logs.moves).toEqual([[null, to]])
  })

  test("a datasource's name ignores case; an unknown one is refused", async () => {
    const path = '/api/logs/position/DEFAULT'
    expect((await app.send('PATCH', path, 'user', { position: 0 })).status).toBe(200)
    expect(app.logs.moves).toEqual([['default', 'beginning']])
    const unknown = await app.send('PATCH', '/api/logs/position/nowhere', 'user', {})
    expect(unknown.status).toBe(404)
    expect(await bodyOf(unknown)).toEqual({ error: 'Datasource not found' })
  })

  test.each([[{ position: 'end' }], [{ position: 1.5 }], [{ reset: 'yes' }]])(
    '%j is refused with 400',
    async (body) => {
      expect((await app.send('PATCH', '/api/logs/position', 'user', body)).status).toBe(400)
      expect(app.logs.moves).toEqual([])
    },
  )

  test('read positions cannot be moved while logs are being processed', async () => {
    await app.send('POST', '/api/logs/process', 'user')
    await settle()
    const refused = await app.send('PATCH', '/api/logs/position', 'user', {})
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({ stageKey: 'errors.logs.processing' })
    expect(app.logs.moves).toEqual([])
    app.logs.finish()
    await settle()
    expect((await app.send('PATCH', '/api/logs/position', 'user', {})).status).toBe(200)
  })
})

describe('processing on request', () => {
  const status = () => app.read('/api/logs/process/status', 'user')

  test('is idle at first', async () => {
    expect(await status()).toEqual({
      isProcessing: false,
      silentMode: false,
      status: 'idle',
      operationId: null,
      percentComplete: null,
      mbProcessed: null,
      mbTotal: null,
      entriesProcessed: null,
      totalLines: null,
      stageKey: null,
    })
  })

  test('a run starts once, reports progress and ends', async () => {
    const response = await app.send('POST', '/api/logs/process', 'user')
    expect(response.status).toBe(202)
    const started = await bodyOf(response)
    expect(started).toMatchObject({ status: 'running', queued: false, alreadyRunning: false })
    await settle()
    expect(await status()).toMatchObject({ isProcessing: true, status: 'starting' })
    const again = await bodyOf(await app.send('POST', '/api/logs/process/default', 'user'))
    expect(again).toMatchObject({ operationId: started.operationId, alreadyRunning: true })
    expect(app.logs.runs).toEqual([null])
    app.logs.report({
      percentComplete: 50,
      mbProcessed: 1.5,
      mbTotal: 3,
      entriesProcessed: 4,
      totalLines: 5,
    })
    expect(await status()).toMatchObject({
      isProcessing: true,
      status: 'processing',
      operationId: started.operationId,
      percentComplete: 50,
      mbProcessed: 1.5,
      mbTotal: 3,
      entriesProcessed: 4,
      totalLines: 5,
      stageKey: 'signalr.logProcessing.progress',
    })
    app.logs.finish()
    await settle()
    expect(await status()).toMatchObject({
      isProcessing: false,
      status: 'completed',
      mbProcessed: 2.5,
      mbTotal: 2.5,
      entriesProcessed: 7,
      totalLines: 9,
    })
  })

  test('one datasource', async () => {
    expect((await app.send('POST', '/api/logs/process/nowhere', 'user')).status).toBe(404)
    expect((await app.send('POST', '/api/logs/process/default', 'user')).status).toBe(202)
    await settle()
    expect(app.logs.runs).toEqual(['default'])
    app.logs.finish()
  })
})
