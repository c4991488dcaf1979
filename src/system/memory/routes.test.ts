import { describe, expect, spyOn, test } from 'bun:test'
import { reportApp } from '../../../test/support/report-app.ts'
import { settle } from '../../../test/support/manual-time.ts'
import type { GcSettings, GcTriggered } from './model.ts'
import { processUse } from './processes.ts'

const mib = 1024 ** 2
const environment = { Optimizations__EnableGarbageCollectionManagement: 'true' }

const app = await reportApp({ environment })

const put = (body: unknown) => app.send('PUT', '/api/gc/settings', 'user', body)
const trigger = async () =>
  (await (await app.send('POST', '/api/gc/trigger', 'user')).json()) as GcTriggered

describe('GET /api/memory', () => {
  test('figures of the process fit together', async () => {
    const stats = await app.read('/api/memory', 'user')
    expect(stats.workingSetMB).toBeGreaterThan(20)
    expect(stats.totalSystemMemoryMB).toBeGreaterThan(stats.workingSetMB)
    expect(stats.managedMB + stats.unmanagedMB).toBeCloseTo(stats.workingSetMB)
    expect(stats.heapSizeMB - stats.managedMB).toBeCloseTo(stats.fragmentedMB)
    expect(stats.workingSetGB * 1024).toBeCloseTo(stats.workingSetMB)
    expect(stats.threadCount).toBeGreaterThan(1)
    expect(stats.handleCount).toBeGreaterThan(2)
    expect([stats.gen0Collections, stats.gen1Collections, stats.gen2Collections]).toEqual([0, 0, 0])
  })

  test('forceGC collects first', async () => {
    const made = Array.from({ length: 1000 }, () => new WeakRef({ filler: 'x'.repeat(10) }))
    // An object stays alive until the turn that made its reference is over.
    await settle()
    await app.read('/api/memory?forceGC=true', 'user')
    expect(made.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(100)
  })
})

test('memory, threads and files of child processes count', async () => {
  const script = `globalThis.kept = Buffer.alloc(256 * 1024 * 1024, 1); console.log('ready')`
  const child = Bun.spawn([process.execPath, '-e', `${script}; setInterval(() => {}, 1000)`], {
    stdout: 'pipe',
  })
  await child.stdout.getReader().read()
  const own = processUse(child.pid)
  const after = processUse()
  // Read at once: this process gives memory back while the child starts.
  const alone = process.memoryUsage.rss()
  child.kill()
  await child.exited
  expect(own.bytes).toBeGreaterThan(256 * mib)
  expect(after.bytes - alone).toBeGreaterThan(128 * mib)
  expect(own.threads).toBeGreaterThanOrEqual(1)
  expect(after.threads).toBeGreaterThan(own.threads)
  // The process itself may close some meanwhile.
  expect(own.handles).toBeGreaterThanOrEqual(3)
  expect(after.handles).toBeGreaterThan(own.handles)
})

test('without /proc only the memory of the process is known', () => {
  const use = processUse(process.pid, '/nonexistent')
  expect(use.bytes).toBeGreaterThan(20 * mib)
  expect([use.threads, use.handles]).toEqual([0, 0])
})

describe('/api/gc', () => {
  test('says where management is off, instead of taking settings without effect', async () => {
    const other = await reportApp()
    expect(await other.read('/api/system/gc-management/status', 'user')).toEqual({ enabled: false })
    const body = { enabled: true, memoryThresholdMB: 512 }
    for (const [method, path] of [
      ['GET', 'settings'],
      ['PUT', 'settings'],
      ['POST', 'trigger'],
    ] as const) {
      const sent = method === 'PUT' ? body : undefined
      const refused = await other.send(method, `/api/gc/${path}`, 'user', sent)
      expect([refused.status, await refused.text()]).toEqual([
        404,
        expect.stringContaining('Optimizations__EnableGarbageCollectionManagement'),
      ])
    }
    const schedule = '/api/system/schedules/performanceOptimization'
    expect((await other.send('GET', schedule, 'user')).status).toBe(404)
    expect(await app.read('/api/system/gc-management/status', 'user')).toEqual({ enabled: true })
  })

  test('settings have defaults and are stored', async () => {
    const defaults = { enabled: false, memoryThresholdMB: 4096, message: null }
    expect(await app.read('/api/gc/settings', 'user')).toEqual(defaults)
    const answer = await put({ enabled: true, memoryThresholdMB: 512 })
    const saved = (await answer.json()) as GcSettings
    expect(saved).toMatchObject({ enabled: true, memoryThresholdMB: 512 })
    expect(await app.read('/api/gc/settings', 'user')).toEqual({ ...saved, message: null })
  })

  test.each([
    [{ enabled: false, aggressiveness: 'Every1Second' }, false],
    [{ aggressiveness: 'every60minutes' }, true],
    [{ aggressiveness: 'Disabled' }, false],
    [{ enabled: null, aggressiveness: null }, false],
  ])('%j is enabled: %p', async (body, enabled) => {
    const answer = await put({ ...body, memoryThresholdMB: 1024 })
    expect(await answer.json()).toMatchObject({ enabled })
  })

  test.each([
    { enabled: true, memoryThresholdMB: 511 },
    { enabled: true, memoryThresholdMB: 32_769 },
    { enabled: true },
    { aggressiveness: 'Sometimes', memoryThresholdMB: 1024 },
  ])('%j is refused', async (body) => {
    expect((await put(body)).status).toBe(400)
  })

  test('a trigger collects, then pauses for five seconds', async () => {
    const first = await trigger()
    expect(first).toMatchObject({ skipped: false, reason: null, remainingSeconds: null })
    const [before, after] = [Number(first.beforeMB), Number(first.afterMB)]
    expect(first.freedMB).toBe(before - after)
    expect(Number.isInteger(before) && before > 20).toBe(true)
    await app.time.advance(1500)
    expect(await trigger()).toMatchObject({
      skipped: true,
      reason: 'cooldown',
      remainingSeconds: 3.5,
      beforeMB: null,
    })
    await app.time.advance(3500)
    expect((await trigger()).skipped).toBe(false)
  })
})

test('the schedule collects only above the threshold, and only while enabled', async () => {
  const { deps, time } = app
  const messages = () => deps.logLines.filter((line) => line.includes('memory was collected'))
  const rss = spyOn(process.memoryUsage, 'rss').mockReturnValue(600 * mib)
  deps.settings.set('setup.isCompleted', true)
  await put({ enabled: false, memoryThresholdMB: 512 })
  deps.schedules.start()
  await time.advance(10_000)
  expect(messages()).toHaveLength(0)
  await put({ enabled: true, memoryThresholdMB: 700 })
  await time.advance(3_600_000)
  expect(messages()).toHaveLength(0)
  await put({ enabled: true, memoryThresholdMB: 600 })
  await time.advance(3_600_000)
  expect(messages()).toHaveLength(1)
  deps.schedules.stop()
  rss.mockRestore()
})
