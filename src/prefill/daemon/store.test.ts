import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { createStore } from './store.ts'

/** Two daemons with folders of their own that share what they have downloaded. */
function stores() {
  const folder = tempFolder('store')
  const of = (name: string) =>
    createStore({
      configPath: join(folder, name),
      versionsPath: join(folder, 'versions-of-all'),
      cachePath: join(folder, 'cache'),
    })
  return { folder, first: of('first'), second: of('second') }
}

test('what one daemon has downloaded is known to the others, its selection is not', () => {
  const { first, second } = stores()
  first.setPrefilled('440', { versions: ['1'], bytes: 5 })
  second.setPrefilled('730', { versions: ['2'], bytes: 6 })
  first.setPrefilled('440', { versions: ['3'], bytes: 7 })
  for (const store of [first, second]) {
    expect(store.prefilled('440')).toEqual({ versions: ['3'], bytes: 7 })
    expect(store.prefilled('730')).toEqual({ versions: ['2'], bytes: 6 })
    expect(store.prefilled('../730')).toBeNull()
  }
  first.select(['440'])
  expect(second.selected()).toEqual([])
})

test('what one cache has is not what another has', () => {
  const { first, second } = stores()
  const [attic, barn] = [80, 8080].map((port) => ({ host: '10.0.0.5', port }))
  first.of(attic ?? null).setPrefilled('440', { versions: ['1'], bytes: 5 })
  expect(second.of(attic ?? null).prefilled('440')).toEqual({ versions: ['1'], bytes: 5 })
  for (const store of [first, first.of(null), first.of(barn ?? null)]) {
    expect(store.prefilled('440')).toBeNull()
    expect(store.journalPath('440')).not.toBe(first.of(attic ?? null).journalPath('440'))
  }
})

test('processes that write at the same time leave the content of one of them', async () => {
  const { folder } = stores()
  const settings = {
    configPath: folder,
    versionsPath: join(folder, 'versions-of-all'),
    cachePath: folder,
  }
  const program = `
    import { createStore } from ${JSON.stringify(join(import.meta.dir, 'store.ts'))}
    const store = createStore(${JSON.stringify(settings)})
    const own = process.argv.at(-1)
    for (let bytes = 0; bytes < 200; bytes++) store.setPrefilled('440', { versions: [own], bytes })
  `
  const children = ['a', 'b', 'c'].map((name) =>
    Bun.spawn([process.execPath, '-e', program, name], { stderr: 'inherit' }),
  )
  expect(await Promise.all(children.map(({ exited }) => exited))).toEqual([0, 0, 0])
  expect(createStore(settings).prefilled('440')?.bytes).toBe(199)
  expect(readdirSync(join(settings.versionsPath, 'versions'))).toHaveLength(1)
})
