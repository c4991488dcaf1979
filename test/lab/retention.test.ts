import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sliceKey, writeCacheFile } from '../../src/demo/cache-generator.ts'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { labAccount, Larder, type LarderOptions } from './larder.ts'
import { eventually } from '../support/eventually.ts'

const root = tempFolder('retention')
const manyFiles = 12_000
const fewFiles = 60
const storedAt = Math.floor(Date.now() / 1000) - 90 * 86_400
let larder: Larder
let visitor: Visitor

/** Cache files of one depot without a catalogue entry: its id stands for the game. */
const makeGame = (depot: number, files: number): string[] =>
  Array.from({ length: files }, (_, at) =>
    writeCacheFile(join(root, 'cache'), {
      key: sliceKey('steam', `/depot/${depot}/chunk/${at}`, 0),
      body: new Uint8Array(10),
      storedAt,
    }),
  )

const options: LarderOptions = {
  dataPath: join(root, 'data'),
  cachePath: join(root, 'cache'),
  sources: [{ name: 'default', logPath: join(root, 'logs') }],
  environment: { DOCKER_HOST: 'unix:///nowhere/engine.sock' },
}

interface Pending {
  id: string
  gameKey: string
  files: number
  dueAtUtc: string
  startedAtUtc: string | null
}
const pending = async () =>
  (await visitor.read<{ items: Pending[] }>('/api/ext/retention/pending')).items
const left = (files: string[]) => files.filter((file) => existsSync(file)).length

async function restart(): Promise<void> {
  larder = await Larder.start(options)
  visitor = new Visitor(larder.url)
  await visitor.signIn(installationKey(larder.dataPath), labAccount)
}

let many: string[]
let few: string[]

beforeAll(async () => {
  for (const name of ['logs', 'cache']) mkdirSync(join(root, name))
  writeFileSync(join(root, 'logs', 'access.log'), '')
  many = makeGame(501, manyFiles)
  few = makeGame(502, fewFiles)
  larder = await Larder.start(options)
  visitor = await larder.firstSignIn()
})
afterAll(() => larder.stop())

test('lists of rules survive restarts, and a killed removal continues', async () => {
  const rule = { name: 'Old', isEnabled: true, condition: 'storedLongerThan', days: 30 }
  await visitor.write('POST', '/api/ext/retention/rules', rule)
  // Index and history are ready later than the service: until then the rule has no result.
  await eventually(async () => {
    await visitor.write('POST', '/api/ext/retention/ask', {})
    return (await pending()).length === 2
  }, 'both games are listed')
  const listed = await pending()
  const facts = listed.map(({ gameKey, files }) => [gameKey, files])
  expect(facts.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))).toEqual([
    ['alpha:501', manyFiles],
    ['alpha:502', fewFiles],
  ])
  await larder.stop()
  await restart()
  expect(await pending()).toEqual(listed)
  expect([left(many), left(few)]).toEqual([manyFiles, fewFiles])

  // Without a grace period; the small game is pinned.
  await visitor.write('PUT', '/api/ext/retention/settings', { undoHours: 0, sparedDays: 30 })
  await visitor.write('PUT', '/api/ext/retention/pins', { gameKey: 'alpha:502', name: 'Mine' })
  const [row] = await pending()
  expect(row?.gameKey).toBe('alpha:501')
  const { items } = await visitor.read<{ items: { id: string }[] }>('/api/ext/retention/rules')
  await visitor.write('PUT', `/api/ext/retention/rules/${items[0]?.id ?? ''}`, rule)
  expect(await pending()).toEqual([])
  await visitor.write('POST', '/api/ext/retention/ask', {})
  expect((await pending()).map(({ gameKey }) => gameKey)).toEqual(['alpha:501'])
  await larder.kill()
  expect(left(many)).toBe(manyFiles)

  // Due: starts by itself, and is killed midway.
  await restart()
  const sample = many.filter((_, at) => at % 100 === 0)
  await eventually(() => left(sample) < sample.length - 1, 'the removal begins')
  await larder.kill()
  const rest = left(many)
  expect(rest).toBeGreaterThan(0)
  await restart()
  await eventually(() => left(many) === 0, 'the removal goes on')
  await eventually(async () => (await pending()).length === 0, 'it is done')
  expect(left(few)).toBe(fewFiles)
})
