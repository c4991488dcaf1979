import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { existsSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { allEnded } from '../../../test/support/job-end.ts'
import { logLine } from '../../../test/support/log-lines.ts'
import { signInOwner, type Browser } from '../../../test/support/sign-in.ts'

let app: TestApp
let browser: Browser
const log = () => join(app.root, 'logs', 'access.log')
const kept = logLine({ bytes: 1 }) + logLine({ bytes: 2 })
const service = (name: string, datasource = 'default') =>
  `/api/logs/datasources/${datasource}/services/${name}`

beforeEach(async () => {
  app = await testApp({
    isIngesting: true,
    environment: { DOCKER_HOST: 'unix:///nowhere/engine.sock' },
  })
  browser = await signInOwner(app)
  writeFileSync(log(), logLine({ tag: 'riot' }) + kept)
})
afterEach(() => app.stop())

const status = async () => (await (await browser.get('/api/logs/remove/status')).json()) as object

test('changed line counts are published, and only then', async () => {
  const publish = spyOn(app.hub, 'publish')
  const heard = () => publish.mock.calls.filter(([event]) => event === 'ServiceCountsChanged')
  await browser.delete(service('sony'))
  await allEnded(app.operations)
  expect(heard()).toEqual([])
  await browser.delete(service('riot'))
  await allEnded(app.operations)
  expect(heard()).toEqual([['ServiceCountsChanged', null]])
  const deleted = await browser.delete('/api/logs/datasources/default/file')
  expect(deleted.status).toBe(200)
  expect(heard()).toHaveLength(2)
})

describe('lines of one service', () => {
  test('are removed by an operation with progress', async () => {
    expect(await status()).toEqual({
      isProcessing: false,
      service: null,
      datasource: null,
      operationId: null,
      filesProcessed: 0,
      linesProcessed: 0,
      linesRemoved: 0,
      percentComplete: null,
      status: null,
      stageKey: null,
      context: {},
    })
    const response = await browser.delete(service('Riot', 'DEFAULT'))
    expect(response.status).toBe(202)
    const started = (await response.json()) as Record<string, unknown>
    expect(started).toMatchObject({ service: 'riot', status: 'running', queued: false })
    // Before its first report.
    expect(await status()).toMatchObject({ service: 'riot', datasource: 'default' })
    await allEnded(app.operations)
    expect(readFileSync(log(), 'utf8')).toBe(kept)
    expect(await status()).toMatchObject({
      isProcessing: false,
      service: 'riot',
      datasource: 'default',
      operationId: started['operationId'],
      status: 'completed',
      filesProcessed: 1,
      linesProcessed: 3,
      linesRemoved: 1,
      percentComplete: 100,
      stageKey: 'signalr.logRemoval.complete',
    })
  })

  test('without matches change nothing', async () => {
    const before = readFileSync(log(), 'utf8')
    expect((await browser.delete(service('sony'))).status).toBe(202)
    await allEnded(app.operations)
    expect(readFileSync(log(), 'utf8')).toBe(before)
    expect(await status()).toMatchObject({ stageKey: 'signalr.logRemoval.completeNoFiles' })
  })

  test('are refused for an unknown datasource, a blank name and a missing folder', async () => {
    expect((await browser.delete(service('riot', 'nowhere'))).status).toBe(404)
    expect((await browser.delete(service('%20'))).status).toBe(400)
    renameSync(join(app.root, 'logs'), join(app.root, 'away'))
    const refused = await browser.delete(service('riot'))
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: expect.stringContaining('default') })
  })

  test('block moving read positions meanwhile', async () => {
    await browser.delete(service('riot'))
    const moved = await browser.patch('/api/logs/position', {})
    const deleted = await browser.delete('/api/logs/datasources/default/file')
    expect([moved.status, deleted.status]).toEqual([409, 409])
    expect(await moved.json()).toMatchObject({ stageKey: 'errors.logs.removing' })
    expect(await deleted.json()).toMatchObject({ stageKey: 'errors.logs.busy' })
    await allEnded(app.operations)
    expect((await browser.patch('/api/logs/position', {})).status).toBe(200)
  })
})

describe('the log file', () => {
  const path = '/api/logs/datasources/default/file'

  test('is deleted', async () => {
    writeFileSync(`${log()}.1`, logLine({ bytes: 3, path: '/old' }))
    const response = await browser.delete(path)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ success: true, message: 'The log file was deleted' })
    expect(existsSync(log())).toBe(false)
    expect(existsSync(`${log()}.1`)).toBe(true)
    expect((await browser.delete(path)).status).toBe(404)
  })

  test('turns the repeated misses found in it into history', async () => {
    await app.stop()
    const environment = { CacheIndex__RefreshMinutes: '0' }
    app = await testApp({ isIngesting: true, isIndexing: true, environment })
    browser = await signInOwner(app)
    writeFileSync(log(), kept)
    const scans = async () => {
      const answer = await browser.get('/api/cache/corruption/history')
      const { scans: all } = (await answer.json()) as { scans: { isCurrent: boolean }[] }
      return all.map(({ isCurrent }) => isCurrent)
    }
    const detect = async () => (await browser.post('/api/cache/corruption/detect')).status
    await eventually(async () => (await detect()) === 202, 'the layout of the new log is known')
    await allEnded(app.operations)
    expect(await scans()).toEqual([true])
    expect((await browser.delete(path)).status).toBe(200)
    expect(await scans()).toEqual([false])
  })

  test('of an unknown datasource is 404', async () => {
    expect((await browser.delete('/api/logs/datasources/nowhere/file')).status).toBe(404)
  })
})

test('whether the proxy can be made to reopen its logs', async () => {
  const answer = await browser.get('/api/ext/logs/reopen')
  expect(await answer.json()).toMatchObject({ isEnabled: true, hint: expect.any(String) })
})

describe('log rotation and retention', () => {
  const path = '/api/ext/logs/retention'
  const off = {
    isEnabled: false,
    rotateAboveMib: null,
    rotateAfterDays: null,
    compresses: false,
    keepDays: null,
    keepGib: null,
  }

  test('is disabled by default and configurable', async () => {
    expect(await (await browser.get(path)).json()).toEqual(off)
    expect((await browser.post(`${path}/run`)).status).toBe(409)
    const saved = { ...off, isEnabled: true, compresses: true, keepDays: 30 }
    expect(await (await browser.put(path, saved)).json()).toEqual(saved)
    expect((await browser.put(path, { ...saved, keepDays: 0 })).status).toBe(400)
    expect(await (await browser.get(path)).json()).toEqual(saved)
  })

  test('previews its actions and applies them', async () => {
    writeFileSync(`${log()}.1`, logLine({ bytes: 3, path: '/old' }))
    utimesSync(`${log()}.1`, 1000, 1000)
    await browser.put(path, { ...off, isEnabled: true, compresses: true })
    const fileActions = async () => {
      const answer = await browser.get(`${path}/status`)
      const { datasources } = (await answer.json()) as {
        datasources: { datasource: string; files: { name: string; action: string }[] }[]
      }
      return datasources.map(({ files }) => files.map(({ name, action }) => `${name} ${action}`))
    }
    await eventually(
      async () => (await fileActions()).flat().includes('access.log.1 compress'),
      'the file is due for compression',
    )
    expect((await browser.post(`${path}/run`)).status).toBe(202)
    await allEnded(app.operations)
    expect(existsSync(`${log()}.1`)).toBe(false)
    expect(await fileActions()).toEqual([['access.log.1.zst none', 'access.log none']])
  })
})
