import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openCache } from '../../db/cache/open.ts'
import { cacheFilePath, sliceKey, writeCacheFile } from '../../src/demo/cache-generator.ts'
import type { DeleteMode } from '../../src/engines/cache/contract.ts'
import { CacheSession } from '../../src/engines/cache/index/session.ts'
import { walkRoot } from '../../src/engines/cache/index/walk-run.ts'
import { clearTree } from '../../src/engines/cache/removal/clear.ts'
import { removeFiles } from '../../src/engines/cache/removal/removal.ts'
import { listFiles } from './cache-files.ts'
import { eventually } from '../support/eventually.ts'
import { diskFolder } from '../support/in-memory.ts'
import { tempFolder } from '../support/temp-folder.ts'

const cacheFiles = 150
/** Duration of the swaps per deletion method, and their maximum number. */
const raceMs = 5000
const roundsMax = 2000
const isRoot = process.getuid?.() === 0
/** The owner of the cache; the service may delete files of other users. */
const owner = 54_321
const context = { progress() {}, isCancelled: () => false }
const keyOf = (at: number) => sliceKey('steam', `/depot/1/chunk/${at}`, 0)

let root = ''
let ownRoot = ''
let foreign = ''
let session: CacheSession

beforeEach(async () => {
  root = tempFolder('lab-swap', diskFolder)
  chmodSync(root, 0o755)
  ownRoot = join(root, 'own')
  foreign = join(root, 'foreign')
  for (const path of [ownRoot, join(ownRoot, 'cache'), foreign, join(root, 'data')]) mkdirSync(path)
  const decoy = join(ownRoot, 'decoy')
  for (let at = 0; at < cacheFiles; at++) {
    // Files of another cache with the same names, and files that only have such names.
    writeCacheFile(foreign, { key: keyOf(at), body: Buffer.alloc(64, 9), storedAt: 1_790_000_000 })
    const path = join(decoy, cacheFilePath(keyOf(at)))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'precious')
  }
  if (isRoot) {
    expect(Bun.spawnSync(['chmod', '-R', 'a+rX', foreign]).exitCode).toBe(0)
    expect(Bun.spawnSync(['chown', '-R', `${owner}:${owner}`, ownRoot]).exitCode).toBe(0)
    chownSync(ownRoot, owner, owner)
  }
  session = new CacheSession(openCache(join(root, 'data')), join(root, 'data'))
  await session.configure([
    {
      datasource: 'main',
      path: join(ownRoot, 'cache'),
      scheme: 'monolithic',
      sliceBytes: 1_048_576,
    },
  ])
})
afterEach(() => {
  session.store.database.close()
})

const clear = async (mode: DeleteMode): Promise<number> => {
  const outcome = await clearTree(session, { datasource: 'main', mode, threads: 4 }, context)
  return outcome.filesDeleted
}

async function removeGame(): Promise<number> {
  const [tree] = session.rootsOf(null)
  if (tree === undefined) throw new Error('no tree')
  await walkRoot(session, tree, {
    depth: 'directories',
    accept: true,
    isCancelled: () => false,
    onSlice() {},
  })
  const ids = session.store.database.query<{ id: number }, []>('SELECT id FROM cache_content').all()
  const outcome = await removeFiles(
    session,
    {
      selection: { kind: 'contents', contentIds: ids.map(({ id }) => id) },
      removesEmptyFolders: true,
      networkDatasources: [],
    },
    context,
  )
  return outcome.filesDeleted
}

const versions = (path: string) => listFiles(path).map((file) => `${file.path} ${file.version}`)

test.each([
  ['clearing (preserve)', () => clear('preserve')],
  ['clearing (full)', () => clear('full')],
  ['clearing (rsync)', () => clear('rsync')],
  ['removing a game', removeGame],
] as const)('%s deletes no foreign file while folders are swapped', async (_, run) => {
  const before = { foreign: versions(foreign), decoy: versions(join(ownRoot, 'decoy')) }
  expect([before.foreign.length, before.decoy.length]).toEqual([cacheFiles, cacheFiles])
  const script = join(import.meta.dir, 'folder-swapper.ts')
  const names = [ownRoot, foreign, join(ownRoot, 'decoy'), String(cacheFiles)]
  const swapper = Bun.spawn(
    [process.execPath, script, ...names, ...(isRoot ? [String(owner)] : [])],
    { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
  )
  let output = ''
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const part of swapper.stdout) output += decoder.decode(part)
  })()
  let deleted = 0
  try {
    await eventually(() => output.includes('ready'), 'the cache is filled')
    const endMs = performance.now() + raceMs
    for (let round = 0; round < roundsMax && performance.now() < endMs; round++) {
      deleted += await run()
    }
  } finally {
    await swapper.stdin.end()
    await swapper.exited
    await reading
  }
  expect({ foreign: versions(foreign), decoy: versions(join(ownRoot, 'decoy')) }).toEqual(before)
  // Without both there was no race.
  expect(deleted).toBeGreaterThan(0)
  expect(Number(output.split('\n')[1])).toBeGreaterThan(50)
})
