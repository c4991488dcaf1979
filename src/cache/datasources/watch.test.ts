import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { createDiskEngine, type DiskEngine } from '../../engines/disk/facade.ts'
import { createDatasources } from './create.ts'
import { watchPermissions } from './watch.ts'

const minuteMs = 60_000
let root: string
let time: ManualTime
let engine: DiskEngine

beforeEach(() => {
  root = tempFolder('watch')
  for (const name of ['cache', 'logs']) mkdirSync(join(root, name))
  writeFileSync(join(root, 'logs', 'access.log'), '')
  time = new ManualTime()
  engine = createDiskEngine({ log: quietLog, clock: time })
})
afterEach(() => {
  engine.stop()
})

test('a folder becoming read-only, and writable again, is published once each', async () => {
  const paths = { cachePath: join(root, 'cache'), logPath: join(root, 'logs') }
  const config = { datasources: [{ name: 'one', ...paths, schemeOverride: 'auto' as const }] }
  const datasources = createDatasources({ config, engine, clock: time })
  const published: unknown[] = []
  let connections = 0
  const hub = {
    connectionCount: () => connections,
    publish: (event: string, data: unknown) => void published.push({ event, data }),
  }
  const stop = watchPermissions({ datasources, hub, clock: time, timers: time })
  /** Runs one comparison and schedules the next. */
  const next = async () => {
    await time.advance(minuteMs)
    await eventually(() => time.pending === 1, 'compared')
  }
  await next()
  expect(published).toEqual([])
  connections = 1
  await next()
  await next()
  expect(published).toEqual([])
  renameSync(paths.cachePath, join(root, 'away'))
  await next()
  await next()
  expect(published).toEqual([
    {
      event: 'DirectoryPermissionsChanged',
      data: {
        timestamp: expect.stringMatching(/^2026-03-01T12:0\d:00\.000Z$/),
        datasources: [{ name: 'one', cacheWritable: false, logsWritable: true }],
      },
    },
  ])
  renameSync(join(root, 'away'), paths.cachePath)
  await next()
  expect(published).toHaveLength(2)
  stop()
  expect(time.pending).toBe(0)
})
