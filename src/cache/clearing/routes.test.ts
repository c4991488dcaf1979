import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { sliceKey, writeCacheFile } from '../../demo/cache-generator.ts'

const folder = tempFolder('overlap')

const sources = {
  good: 'good/cache',
  outer: 'outer/cache',
  inner: 'outer/cache/aa',
  fresh: 'new',
}
const environment: Record<string, string> = {}
for (const [index, [name, path]] of Object.entries(sources).entries()) {
  mkdirSync(join(folder, path), { recursive: true })
  mkdirSync(join(folder, 'logs', name), { recursive: true })
  const key = `LanCache__DataSources__${index}__`
  environment[`${key}Name`] = name
  environment[`${key}CachePath`] = join(folder, path)
  environment[`${key}LogPath`] = join(folder, 'logs', name)
}
const body = Buffer.alloc(10)
const stored = (name: 'good' | 'outer') =>
  writeCacheFile(join(folder, sources[name]), {
    key: sliceKey('steam', '/depot/1/chunk/1', 0),
    body,
    storedAt: 1_790_000_000,
  })
stored('good')
const file = stored('outer')
const app = await testApp({ environment, isIndexing: true })
const owner = await signInOwner(app)

const clearable = async () => {
  const { dataSources } = (await (await owner.get('/api/system/config')).json()) as {
    dataSources: { name: string; canClearWholeCacheRoot: boolean }[]
  }
  return dataSources.filter((one) => one.canClearWholeCacheRoot).map(({ name }) => name)
}

test('only a separate cache folder without other configured folders can be cleared', async () => {
  expect(await clearable()).toEqual(['good'])
})

test.each(['outer', 'inner'])('nested caches are refused: %s', async (name) => {
  const answer = await owner.delete(`/api/cache/datasources/${name}`)
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('each needs a folder of its own')
  expect(existsSync(file)).toBe(true)
})

test('clearing all of them is refused too', async () => {
  expect((await owner.delete('/api/cache')).status).toBe(400)
  expect(existsSync(file)).toBe(true)
})

test('a log folder linked into the cache is detected at request time', async () => {
  rmSync(join(folder, 'logs', 'good'), { recursive: true })
  mkdirSync(join(folder, 'good', 'cache', 'db'))
  symlinkSync(join(folder, 'good', 'cache', 'db'), join(folder, 'logs', 'good'))
  const answer = await owner.delete('/api/cache/datasources/good')
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('log folder of good')
})
