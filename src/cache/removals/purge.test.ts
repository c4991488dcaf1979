import { expect, test } from 'bun:test'
import { existsSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { begunJobEnd } from '../../../test/support/job-end.ts'
import { logLine } from '../../../test/support/log-lines.ts'
import { putTitles } from '../../../test/support/put-downloads.ts'
import { makeReadOnly } from '../../../test/support/read-only.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import { sliceKey, writeCacheFile } from '../../demo/cache-generator.ts'

const gamma = (at: number) => logLine({ tag: 'blizzard', path: `/tpr/pro/data/${at}`, bytes: at })
const other = (at: number) => logLine({ tag: 'blizzard', path: `/tpr/wow/data/${at}`, bytes: at })
const update = (at: number) => logLine({ tag: 'wsus', path: `/msdownload/${at}.cab`, bytes: at })
const some = (line: (at: number) => string) => Array.from({ length: 20 }, (_, at) => line(at))

const history = await freshHistory()
const app = await testApp({ history, isIndexing: true, isIngesting: true })
app.logs.historyReady(history.connection())
const text = [gamma, other, update].flatMap(some).join('')
writeFileSync(join(app.root, 'logs', 'access.log'), text)
const owner = await signInOwner(app)

const put = (tag: string, path: string) =>
  writeCacheFile(join(app.root, 'cache'), {
    key: sliceKey(tag, path, 0),
    body: Buffer.alloc(500, 1),
    storedAt: 1_790_000_000,
  })
const logText = (name = 'access.log') => readFileSync(join(app.root, 'logs', name), 'utf8')

const ended = async (path: string) => begunJobEnd(app.operations, await owner.delete(path))

test('purgeLogs removes exactly the log lines of a game', async () => {
  const path = put('blizzard', '/tpr/pro/data/1')
  const view = await ended('/api/games/named/blizzard/Overwatch?purgeLogs=true')
  expect(view).toMatchObject({
    status: 'completed',
    context: { filesDeleted: 1, logEntries: 20, logFilesLeft: 0, logProblems: [] },
  })
  expect(existsSync(path)).toBe(false)
  expect(logText()).toBe([other, update].flatMap(some).join(''))
})

test('lines of content evicted earlier are removed too', async () => {
  await putTitles(history, { titleKey: 'gamma:gone', service: 'blizzard', gameName: 'Gone' })
  const gone = logLine({ tag: 'blizzard', path: '/tpr/gone/data/1', bytes: 5 })
  writeFileSync(join(app.root, 'logs', 'access.log'), logText() + gone)
  const view = await ended('/api/games/named/blizzard/Gone?purgeLogs=true')
  expect(view).toMatchObject({ status: 'completed', context: { filesDeleted: 0, logEntries: 1 } })
  expect(logText()).not.toContain('/tpr/gone/')
  expect(logText()).toContain('/tpr/wow/')
})

test('without purgeLogs the logs stay unchanged', async () => {
  put('blizzard', '/tpr/wow/data/1')
  const before = logText()
  const view = await ended('/api/games/named/blizzard/World of Warcraft')
  expect(view).toMatchObject({ status: 'completed', context: { filesDeleted: 1, logEntries: 0 } })
  expect(logText()).toBe(before)
})

test('a log file that could not be changed is reported', async () => {
  put('wsus', '/msdownload/1.cab')
  const outside = join(app.root, 'elsewhere.log')
  writeFileSync(outside, some(update).join(''))
  symlinkSync(outside, join(app.root, 'logs', 'access.log.1'))
  const view = await ended('/api/cache/services/wsus?purgeLogs=true')
  unlinkSync(join(app.root, 'logs', 'access.log.1'))
  expect(view).toMatchObject({
    status: 'completed',
    context: {
      filesDeleted: 1,
      logEntries: 20,
      logFilesLeft: 1,
      logProblems: ['default: access.log.1: it is a symbolic link'],
    },
  })
  expect(logText()).toBe(some(other).join(''))
  expect(readFileSync(outside, 'utf8')).toBe(some(update).join(''))
})

test('unwritable logs are refused before anything is removed', async () => {
  const path = put('wsus', '/msdownload/2.cab')
  const undo = makeReadOnly(join(app.root, 'logs'))
  try {
    const refused = await owner.delete('/api/cache/services/wsus?purgeLogs=true')
    const { error } = (await refused.json()) as { error: string }
    expect({ status: refused.status, error }).toMatchObject({ status: 400 })
    expect(error).toMatch(/logs folder of the datasource default .*PUID and PGID/)
    expect(existsSync(path)).toBe(true)
    expect(await ended('/api/cache/services/wsus')).toMatchObject({ status: 'completed' })
    expect(existsSync(path)).toBe(false)
  } finally {
    undo()
  }
})
