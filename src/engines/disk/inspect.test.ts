import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { logLine } from '../../../test/support/log-lines.ts'
import { folderAccess } from './access.ts'
import { logSample } from './log-sample.ts'

let folder = ''
const file = (name: string) => join(folder, name)

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'larder-inspect-'))))
afterEach(() => {
  // An ordinary user cannot delete what it may not enter.
  Bun.spawnSync(['chmod', '-R', 'u+rwx', folder])
  rmSync(folder, { recursive: true })
})

const detailed =
  '[20/Nov/2026:21:52:49 +0000] 10.0.0.1 GET "/a" - HTTP/1.1 200 "-" 200 300 64 0.1 64 MISS h 200 0.1 "ua"\n'
const json =
  '{"timestamp":"2026-11-20T21:52:49+00:00","remote_addr":"10.0.0.1","method":"GET","path":"/a",' +
  '"status":"200","bytes_sent":"64","upstream_cache_status":"MISS","cache_identifier":"steam"}\n'

test('the newest log and the format of its lines', () => {
  writeFileSync(file('access.log.1.gz'), gzipSync(Buffer.from(logLine({}))))
  writeFileSync(file('access.log'), `${logLine({}).repeat(3)}\nnot a request\nunfinished`)
  expect(logSample(folder)).toEqual({
    problem: 'none',
    message: null,
    entries: [],
    files: 2,
    file: file('access.log'),
    format: 'cachelog',
    lines: 4,
    understood: 3,
    strange: 'not a request',
  })
})

test('a long log: only its last 200 lines', () => {
  writeFileSync(file('access.log'), `odd\n${logLine({}).repeat(2000)}`)
  expect(logSample(folder)).toMatchObject({ lines: 200, understood: 200, strange: null })
})

test('logs per host, and JSON', () => {
  writeFileSync(file('steam-access.log'), detailed)
  expect(logSample(folder)).toMatchObject({ format: 'detailed', lines: 1, understood: 1 })
  rmSync(file('steam-access.log'))
  writeFileSync(file('access.log'), json)
  expect(logSample(folder)).toMatchObject({ format: 'json', lines: 1, understood: 1 })
})

test('an empty log, an empty folder, no folder', () => {
  writeFileSync(file('access.log'), '')
  expect(logSample(folder)).toMatchObject({ problem: 'none', lines: 0, format: null })
  rmSync(file('access.log'))
  expect(logSample(folder)).toMatchObject({ problem: 'no_sources', file: null, entries: [] })
  for (let index = 0; index < 12; index++) writeFileSync(file(`${index}.txt`), '')
  expect(logSample(folder).entries).toHaveLength(10)
  expect(logSample(file('away')).problem).toBe('missing_directory')
})

const digest = '0123456789abcdef0123456789abcdef'

test('a cache that may be read and changed', () => {
  mkdirSync(file('ef/cd'), { recursive: true })
  writeFileSync(file(`ef/cd/${digest}`), '')
  mkdirSync(file('lost+found'), { mode: 0 })
  expect(folderAccess(folder)).toEqual({ problem: 'none', write: 'granted', refused: null })
  expect(folderAccess(file('away'))).toMatchObject({ problem: 'missing' })
})

/** Inspects as an ordinary user: root drops its privileges once all code is loaded. */
const asOther = `
  const [access, sample, folder] = process.argv.slice(-3)
  const { folderAccess } = await import(access)
  const { logSample } = await import(sample)
  if (process.getuid() === 0) process.setuid(65534)
  process.stdout.write(JSON.stringify([logSample(folder), folderAccess(folder)]))
`

test('files of another user', async () => {
  mkdirSync(file('ef/cd'), { recursive: true })
  writeFileSync(file(`ef/cd/${digest}`), '')
  writeFileSync(file('access.log'), logLine({}))
  for (const name of ['access.log', `ef/cd/${digest}`]) chmodSync(file(name), 0)
  chmodSync(folder, 0o555)
  const modules = ['access.ts', 'log-sample.ts'].map((name) => join(import.meta.dir, name))
  const child = Bun.spawn([process.execPath, '-e', asOther, ...modules, folder], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const text = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  expect(JSON.parse(text)).toMatchObject([
    { problem: 'permission_denied', file: file('access.log') },
    { problem: 'none', write: 'refused', refused: file(`ef/cd/${digest}`) },
  ])
})
