import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { createDiskEngine, type DiskEngine } from '../../engines/disk/facade.ts'
import type { DiskSpace } from '../disk/contract.ts'
import { createDatasources } from './create.ts'
import { watchFolders } from './watch.ts'

const compareMs = 5000
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

test('a folder that becomes read-only, writable again, or loses its disk is published once each', async () => {
  const paths = { cachePath: join(root, 'cache'), logPath: join(root, 'logs') }
  const config = { datasources: [{ name: 'one', ...paths, schemeOverride: 'auto' as const }] }
  const datasources = createDatasources({ config, engine, clock: time })
  const published: unknown[] = []
  let connections = 0
  const hub = {
    connectionCount: () => connections,
    publish: (event: string, data: unknown) => void published.push({ event, data }),
  }
  let isMounted = true
  // Tests cannot unmount; the other members are unused.
  const disk = {
    space: () => Promise.resolve({ state: isMounted ? 'ok' : 'vanished' } as DiskSpace),
  }
  const stop = watchFolders({ datasources, disk, hub, clock: time, timers: time })
  /** Runs one comparison and schedules the next. */
  const next = async () => {
    await time.advance(compareMs)
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
        timestamp: expect.stringMatching(/^2026-03-01T12:00:\d\d\.000Z$/),
        datasources: [{ name: 'one', cacheWritable: false, logsWritable: true }],
      },
    },
  ])
  renameSync(join(root, 'away'), paths.cachePath)
  await next()
  expect(published).toHaveLength(2)
  isMounted = false
  await next()
  await next()
  expect(published).toHaveLength(3)
  stop()
  expect(time.pending).toBe(0)
})
