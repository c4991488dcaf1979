import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import type { DatasourceConfig } from '../../core/config.ts'
import { configHash, sliceKey, writeCacheFile } from '../../demo/cache-generator.ts'
import { createDiskEngine, type DiskEngine } from '../../engines/disk/facade.ts'
import { createDatasources } from './create.ts'

const halfMinuteMs = 30_000
const tenMinutesMs = 600_000
let root: string
let time: ManualTime
let engine: DiskEngine

beforeEach(() => {
  root = tempFolder('facts')
  time = new ManualTime()
  // Real timers: the worker answers in real time.
  engine = createDiskEngine({ log: quietLog, clock: time })
})
afterEach(() => {
  engine.stop()
})

function datasource(name: string, options: Partial<DatasourceConfig> = {}): DatasourceConfig {
  const paths = { cachePath: join(root, name, 'cache'), logPath: join(root, name, 'logs') }
  for (const path of Object.values(paths)) mkdirSync(path, { recursive: true })
  return { name, ...paths, schemeOverride: 'auto', ...options }
}
const create = (...datasources: DatasourceConfig[]) =>
  createDatasources({ config: { datasources }, engine, clock: time })

const addLog = (name: string, file = 'access.log') => {
  const path = join(root, name, 'logs', file)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, '')
}
const addCacheFiles = (name: string, bytes: number, count = 8) => {
  for (let slice = 0; slice < count; slice++) {
    const key = sliceKey('steam', '/depot/1/chunk/a', slice, bytes)
    writeCacheFile(join(root, name, 'cache'), {
      key,
      body: new Uint8Array(1),
      storedAt: 1_800_000_000,
    })
  }
}

describe('layout and key scheme', () => {
  test.each([
    ['nothing', [], 'monolithic', 'unknown'],
    ['one log', ['access.log.1'], 'monolithic', 'monolithic'],
    ['logs per service', ['http/steam-access.log'], 'bare_metal', 'bare_metal'],
    ['both', ['access.log', 'riot-access.log'], 'mixed', 'mixed'],
  ] as const)('%s', async (_, files, layout, scheme) => {
    const sources = create(datasource('one'))
    for (const file of files) addLog('one', file)
    expect(await sources.facts('ONE')).toMatchObject({ layout, scheme, sourceCount: files.length })
  })

  test('the override wins', async () => {
    const sources = create(datasource('one', { schemeOverride: 'bare_metal' }))
    addLog('one')
    expect(await sources.facts('one')).toMatchObject({ layout: 'monolithic', scheme: 'bare_metal' })
  })
})

describe('slice size', () => {
  test('from the setting, the note, keys, the default, in this order', async () => {
    const [set, noted, keyed, bare] = [
      datasource('set', { sliceBytes: 4_194_304 }),
      datasource('noted'),
      datasource('keyed'),
      datasource('bare'),
    ]
    for (const name of ['set', 'noted', 'keyed', 'bare']) addLog(name)
    for (const name of ['set', 'noted', 'keyed']) addCacheFiles(name, 10_485_760)
    for (const name of ['set', 'noted']) writeFileSync(join(root, name, 'CONFIGHASH'), configHash)
    const all = await create(set, noted, keyed, bare).all()
    expect(all.map(({ sliceBytes, sliceSource }) => [sliceBytes, sliceSource])).toEqual([
      [4_194_304, 'setting'],
      [1_048_576, 'confighash'],
      [10_485_760, 'keys'],
      [1_048_576, 'default'],
    ])
    expect(all[1]?.keyRecipe).toBe('$cacheidentifier$uri$slice_range')
  })

  test('objects stored whole', async () => {
    const sources = create(datasource('one'))
    addLog('one')
    for (const name of ['a', 'b', 'c', 'd']) {
      const content = { body: new Uint8Array(1), storedAt: 1_800_000_000 }
      writeCacheFile(join(root, 'one/cache'), { key: `steam/${name}`, ...content })
    }
    expect(await sources.facts('one')).toMatchObject({ isSliced: false, sliceSource: 'keys' })
  })

  test('an empty cache is read again when it fills', async () => {
    const sources = create(datasource('one'))
    addLog('one')
    expect((await sources.facts('one')).sliceSource).toBe('default')
    addCacheFiles('one', 2_097_152)
    expect((await sources.facts('one')).sliceSource).toBe('default')
    await time.advance(5000)
    expect((await sources.facts('one')).sliceBytes).toBe(2_097_152)
    rmSync(join(root, 'one/cache'), { recursive: true })
    mkdirSync(join(root, 'one/cache'))
    addCacheFiles('one', 4_194_304)
    await time.advance(halfMinuteMs)
    expect((await sources.facts('one')).sliceBytes).toBe(2_097_152)
    await time.advance(tenMinutesMs)
    expect((await sources.facts('one')).sliceBytes).toBe(4_194_304)
  })
})

/** The message of a refusal; empty when there is none. */
const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => '',
    (error: Error) => error.message,
  )

describe('gates', () => {
  test('an unclear key scheme is refused, naming the datasource', async () => {
    const sources = create(datasource('clear'), datasource('both'))
    addLog('clear')
    for (const file of ['access.log', 'steam-access.log']) addLog('both', file)
    expect(await refusalOf(sources.requireClearScheme())).toStartWith(
      'The datasource both has logs of both',
    )
    expect(await refusalOf(sources.requireClearScheme('clear'))).toBe('')
    expect(await refusalOf(sources.requireClearScheme('none'))).toBe('Datasource not found')
    expect(await refusalOf(create().requireClearScheme())).toBe('No datasource is configured')
  })

  test('unwritable folders are refused with a hint', async () => {
    const sources = create(datasource('one'))
    addLog('one')
    await sources.requireWritable({ cache: true, logs: true })
    rmSync(join(root, 'one/cache'), { recursive: true })
    await sources.requireWritable({ logs: true })
    const refusal = await refusalOf(sources.requireWritable({ cache: true }))
    expect(refusal).toMatch(/cache folder.*one.*PUID/)
    expect(refusal).not.toContain(root)
    const extra = { stageKey: 'errors.readOnly.cache', context: { name: 'one' } }
    expect(sources.requireWritable({ cache: true })).rejects.toMatchObject({ extra })
  })

  test('distinguishes missing from unreadable', async () => {
    const sources = create(datasource('one'), datasource('gone', { cachePath: join(root, 'no') }))
    const [one, gone] = await sources.all()
    expect(one?.cacheProblem).toBe('none')
    expect(gone).toMatchObject({ cacheProblem: 'missing', canWriteCache: false })
  })

  // Root can read any folder.
  const asUser = process.getuid?.() === 0 ? 'missing' : 'unreadable'
  test(`a folder (${asUser === 'missing' ? 'removed, as this is root' : 'mode 000'})`, async () => {
    const sources = create(datasource('one'))
    const path = join(root, 'one/cache')
    if (asUser === 'missing') rmSync(path, { recursive: true })
    else chmodSync(path, 0)
    expect((await sources.facts('one')).cacheProblem).toBe(asUser)
    if (asUser !== 'missing') chmodSync(path, 0o755)
  })
})
