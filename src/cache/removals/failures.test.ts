import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { makeReadOnly } from '../../../test/support/read-only.ts'
import {
  app,
  depot,
  download,
  downloads,
  ended,
  history,
  listeners,
  owner,
  put,
  setAway,
  started,
  withRemovals,
} from '../../../test/support/removal-fixture.ts'
import type { PendingRemoval } from '../../../db/state/schema/removals.ts'
import { dropNote, keepNote, notesMax, readNotes } from './notes.ts'

await withRemovals()

test('while the history is away files are removed; its changes are applied later', async () => {
  const path = put('wsus', '/d/msdownload/update/two.cab')
  await download(5, 'wsus', '')
  setAway(true)
  const body = await started(await owner.delete('/api/cache/services/wsus'))
  expect(await ended(body.operationId)).toMatchObject({
    status: 'completed',
    context: { filesDeleted: 1, isHistoryPending: true },
  })
  setAway(false)
  expect(existsSync(path)).toBe(false)
  expect(await downloads()).toEqual([{ id: 5, isEvicted: false }])
  expect(readNotes(app.state)).toMatchObject([{ id: body.operationId }])
  for (const listener of listeners) listener({ ...history.status(), state: 'ready' })
  // Notes are processed in turn: when the next removal has ended, the first one is settled.
  const next = await started(await owner.delete('/api/cache/services/nothing'))
  await ended(next.operationId)
  expect(await downloads()).toEqual([])
  expect(readNotes(app.state)).toEqual([])
})

test('operations that need the history fail with that reason while it is away', async () => {
  setAway(true)
  const paths = ['/api/cache/evicted?purgeLogs=false', '/api/cache/evicted/alpha?key=5']
  for (const path of paths) {
    const { operationId } = await started(await owner.delete(path))
    expect(await ended(operationId)).toMatchObject({
      status: 'failed',
      stageKey: 'signalr.evictionRemove.failed',
      error: expect.not.stringMatching(/unexpectedly/) as string,
    })
  }
  setAway(false)
})

test('after a failed walk the index is not trusted: nothing is removed', async () => {
  const path = depot(9_000_011, 6)
  await download(12, 'steam', 'alpha:9000011')
  const cache = join(app.root, 'cache')
  const away = join(app.root, 'away')
  const first = await started(await owner.delete('/api/cache/services/nothing'))
  expect(await ended(first.operationId)).toMatchObject({ status: 'completed' })
  renameSync(cache, away)
  mkdirSync(cache)
  const body = await started(await owner.delete('/api/games/9'))
  expect(await ended(body.operationId)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^Nothing was removed.*is the disk mounted\?/) as string,
  })
  renameSync(cache, join(app.root, 'empty'))
  renameSync(away, cache)
  expect(existsSync(path)).toBe(true)
  expect(await downloads()).toEqual([{ id: 12, isEvicted: false }])
})

test('an unwritable folder is refused with a hint', async () => {
  const undo = makeReadOnly(join(app.root, 'cache'))
  try {
    const paths = ['/api/games/9', '/api/games/beta/Bee', '/api/games/named/blizzard/Overwatch']
    paths.push('/api/cache/services/wsus', '/api/cache', '/api/cache/datasources/default')
    for (const path of paths) {
      const answer = await owner.delete(path)
      const { error } = (await answer.json()) as { error: string }
      expect({ path, status: answer.status, error }).toMatchObject({ path, status: 400 })
      expect(error).toMatch(/PUID and PGID/)
    }
  } finally {
    undo()
  }
})

test('every removal waiting for the history is kept; too many are refused', async () => {
  const wait = (id: string) =>
    keepNote(
      app.state,
      { id, action: 'evict', datasources: ['default'], endedBefore: 1 },
      new Date(1_790_000_000_000),
    )
  for (let at = 0; at < 300; at++) wait(`note-${at}`)
  expect(readNotes(app.state)).toHaveLength(300)
  for (const listener of listeners) listener({ ...history.status(), state: 'ready' })
  const next = await started(await owner.delete('/api/cache/services/nothing'))
  await ended(next.operationId)
  expect(readNotes(app.state)).toEqual([])
  // One that can never be applied must not block the rest.
  const scope = { kind: 'service', service: 'x\0' } as const
  const names = { titleKeys: [], keptTitleKeys: [] }
  const broken: PendingRemoval = {
    id: 'broken',
    action: 'delete',
    scope,
    ...names,
    endedBefore: 1,
  }
  keepNote(app.state, broken, new Date(1_780_000_000_000))
  wait('after')
  for (const listener of listeners) listener({ ...history.status(), state: 'ready' })
  const later = await started(await owner.delete('/api/cache/services/nothing'))
  await ended(later.operationId)
  expect(readNotes(app.state).map(({ id }) => id)).toEqual(['broken'])
  dropNote(app.state, 'broken')
  app.state.sqlite.transaction(() => {
    for (let at = 0; at < notesMax; at++) wait(`note-${at}`)
  })()
  const refused = await owner.delete('/api/games/9')
  expect({ status: refused.status, wait: refused.headers.get('retry-after') }).toEqual({
    status: 503,
    wait: '60',
  })
  expect((await owner.delete('/api/cache')).status).toBe(503)
  app.state.sqlite.run('DELETE FROM pending_removal')
})

test('names missing members', async () => {
  const ask = (body: object) => owner.post('/api/ext/cache/removals/preview', body)
  expect((await ask({ kind: 'alpha' })).status).toBe(400)
  expect((await ask({ kind: 'named', service: 'blizzard' })).status).toBe(400)
  expect((await ask({ kind: 'nothing' })).status).toBe(400)
  const noText = [
    '/api/games/named/blizzard/%00',
    '/api/games/beta/x%00',
    '/api/cache/services/%00',
  ]
  noText.push('/api/cache/evicted/beta?key=%00', '/api/cache/evicted/named/blizzard/a%00b')
  for (const path of noText) {
    expect({ path, status: (await owner.delete(path)).status }).toEqual({ path, status: 400 })
  }
  const active = (await (await owner.get('/api/cache/removals/active')).json()) as object
  expect(active).toEqual({
    isProcessing: false,
    gameRemovals: [],
    serviceRemovals: [],
    corruptionRemovals: [],
    evictionRemovals: [],
  })
})
