import { expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../../test/support/app.ts'
import { sliceKey, writeCacheFile } from '../../../demo/cache-generator.ts'

const app = await testApp({ isIngesting: true, isIndexing: true })

const bundle = (n: number) => `/channels/public/bundles/${n.toString(16).padStart(16, 'A')}.bundle`
const store = (n: number, slice = 0) =>
  writeCacheFile(join(app.root, 'cache'), {
    key: sliceKey('riot', bundle(n), slice),
    body: new Uint8Array(100),
    storedAt: 1_795_000_000,
  })
const lines = (product: string, bundles: number[]) =>
  bundles
    .map(
      (n) =>
        '[riot] 10.0.0.1 / - - - [20/Nov/2026:21:52:49 +0000] ' +
        `"GET ${bundle(n)} HTTP/1.1" 206 100 "-" "-" "MISS" "${product}.dyn.riotcdn.net" "bytes=0-99"\n`,
    )
    .join('')
const log = (text: string) => appendFileSync(join(app.root, 'logs', 'access.log'), text)
const walk = () =>
  app.cache.walk(
    { datasource: null, depth: 'directories' },
    { signal: new AbortController().signal, progress: () => {} },
  )
const found = async () =>
  Object.fromEntries(
    (await app.cache.contents()).map(({ titleKey, files, sampleUris }) => [
      titleKey,
      { files, first: sampleUris[0] ?? null },
    ]),
  )
const read = async () => {
  const run = { signal: new AbortController().signal, progress: () => {} }
  await app.logs.process(null, run)
}

test('assigns bundles to the product whose host the logs name, even late', async () => {
  for (const n of [1, 2, 3, 4]) store(n)
  store(1, 1)
  log(lines('lol', [1]))
  await read()
  await walk()
  expect(await found()).toEqual({
    '': { files: 3, first: bundle(1) },
    'delta:lol': { files: 2, first: bundle(1) },
  })
  log(lines('lol', [2]) + lines('valorant', [3]))
  await read()
  await walk()
  expect(await found()).toMatchObject({
    '': { files: 1 },
    'delta:lol': { files: 3, first: bundle(1) },
    'delta:valorant': { files: 1, first: bundle(3) },
  })
})

test('a more thorough walk keeps them; a removal deletes only the product’s', async () => {
  await app.cache.walk(
    { datasource: null, depth: 'headers' },
    { signal: new AbortController().signal, progress: () => {} },
  )
  const contents = await app.cache.contents()
  const lol = contents.find(({ titleKey }) => titleKey === 'delta:lol')
  expect(lol).toMatchObject({ files: 3 })
  const outcome = await app.cache.remove(
    { kind: 'contents', contentIds: [lol?.id ?? -1] },
    { signal: new AbortController().signal, progress: () => {} },
  )
  expect(outcome).toMatchObject({ state: 'complete', filesDeleted: 3, filesChanged: 0 })
  expect(Object.keys(await found()).sort()).toEqual(['', 'delta:valorant'])
})
