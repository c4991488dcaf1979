import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { begunJobEnd } from '../../../test/support/job-end.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { seedHistory } from '../../../test/support/seed-history.ts'
import { signInAs, signInOwner } from '../../../test/support/sign-in.ts'
import { pieceBytesMax } from './model.ts'

interface Listed {
  keep: number
  snapshots: { name: string; kind: string; bytes: number }[]
  lastRestore: unknown
}

const time = new ManualTime('2026-11-21T12:00:00.000Z')

const history = await freshHistory()
await seedHistory(history.connection(), { downloads: 3000 })
const app = await testApp({ history, clock: time, timers: time })
app.schedules.start()
const owner = await signInOwner(app)

const folder = () => join(app.config.dataPath, 'backups')
const list = async () => (await (await owner.get('/api/ext/backups')).json()) as Listed

const ended = (answer: Response) => begunJobEnd(app.operations, answer)

async function made(): Promise<string> {
  const view = await ended(await owner.post('/api/ext/backups'))
  expect(view).toMatchObject({ status: 'completed', percentComplete: 100 })
  return String(view?.context?.['name'])
}

test('a snapshot is a private file; it is listed, sent and deleted', async () => {
  const name = await made()
  expect(statSync(join(folder(), name)).mode & 0o777).toBe(0o600)
  expect(statSync(folder()).mode & 0o777).toBe(0o700)
  // Nothing else is left beside it.
  expect(readdirSync(folder())).toEqual([name])
  const { snapshots } = await list()
  expect(snapshots).toMatchObject([{ name, kind: 'manual' }])
  const file = await owner.get(`/api/ext/backups/${name}/file`)
  expect(file.headers.get('Content-Disposition')).toContain(name)
  const bytes = Buffer.from(await file.arrayBuffer())
  expect(bytes.equals(readFileSync(join(folder(), name)))).toBe(true)
  expect((await owner.delete(`/api/ext/backups/${name}`)).status).toBe(200)
  expect((await list()).snapshots).toEqual([])
})

test('no name leaves the folder, and other files are no snapshots', async () => {
  mkdirSync(folder(), { recursive: true })
  writeFileSync(join(folder(), 'notes.txt'), 'mine')
  for (const name of ['..%2Fstate.sqlite', 'notes.txt', '.', 'larder-20260101-000000.tar.zst']) {
    const path = `/api/ext/backups/${name}`
    const file = await owner.get(`${path}/file`)
    expect(file.headers.get('Content-Disposition')).toBeNull()
    expect([404, 405]).toContain((await owner.delete(path)).status)
    expect([404, 405]).toContain((await owner.post(`${path}/restore`)).status)
  }
  expect(existsSync(join(folder(), 'notes.txt'))).toBe(true)
  expect(existsSync(join(app.config.dataPath, 'state.sqlite'))).toBe(true)
})

test('scheduled snapshots beyond the number to keep are deleted, others are not', async () => {
  const manual = await made()
  const put = await owner.put('/api/ext/backups/settings', { keep: 2 })
  expect(put.status).toBe(200)
  const old = ['20200101-000000', '20200102-000000', '20200103-000000']
  for (const at of old) {
    const path = join(folder(), `larder-${at}-scheduled.tar.zst`)
    writeFileSync(path, 'old')
    const time = new Date(`${at.slice(0, 4)}-01-${at.slice(6, 8)}`)
    Bun.spawnSync(['touch', '-d', time.toISOString(), path])
  }
  const count = async () =>
    (await list()).snapshots.filter(({ kind }) => kind === 'scheduled').length
  expect(await count()).toBe(3)
  const views = app.schedules.list().filter(({ serviceKey }) => serviceKey === 'backup')
  expect(views).toMatchObject([{ intervalHours: 0, nextRunAt: null }])
  app.settings.set('setup.isCompleted', true)
  app.schedules.change('backup', { intervalHours: 24 })
  await time.skip(25 * 3_600_000)
  await eventually(
    async () => (await list()).snapshots[0]?.kind === 'scheduled',
    'one more is made',
  )
  await eventually(async () => (await count()) === 2, 'the oldest are deleted')
  const [newest] = (await list()).snapshots
  await time.skip(60_000)
  app.schedules.run('backup')
  await eventually(
    async () => (await list()).snapshots[0]?.name !== newest?.name,
    'a run by hand makes one',
  )
  await eventually(async () => (await count()) === 2, 'it counts as scheduled')
  expect((await list()).snapshots[0]?.kind).toBe('scheduled')
  expect((await list()).snapshots.map(({ name }) => name)).toContain(manual)
})

test('an upload comes in parts, and is checked before it is kept', async () => {
  const name = await made()
  const bytes = readFileSync(join(folder(), name))
  const send = (content: Uint8Array, offset: number, total: number) => {
    const body = new FormData()
    body.append('file', new Blob([new Uint8Array(content)]), 'piece')
    body.append('offset', String(offset))
    body.append('total', String(total))
    return owner.send('POST', '/api/ext/backups/upload', { body })
  }
  const half = Math.min(pieceBytesMax, Math.ceil(bytes.length / 2))
  const first = await send(bytes.subarray(0, half), 0, bytes.length)
  expect(await first.json()).toEqual({ received: half, name: null })
  expect((await send(bytes.subarray(0, half), 7, bytes.length)).status).toBe(409)
  let at = half
  let last: unknown
  while (at < bytes.length) {
    const piece = bytes.subarray(at, at + half)
    last = await (await send(piece, at, bytes.length)).json()
    at += piece.length
  }
  expect(last).toMatchObject({ received: bytes.length, name: expect.stringContaining('uploaded') })
  // Again in the same second.
  await send(bytes.subarray(0, half), 0, bytes.length)
  expect((await send(bytes.subarray(half), half, bytes.length)).status).toBe(200)
  expect((await list()).snapshots.filter(({ kind }) => kind === 'uploaded')).toHaveLength(2)
  const short = await send(bytes.subarray(0, half), 0, half)
  expect([short.status, await short.text()]).toEqual([400, expect.stringContaining('snapshot')])
  const wrong = await send(Buffer.from('not a snapshot'), 0, 14)
  expect(wrong.status).toBe(400)
  expect(await wrong.text()).toContain('snapshot')
  expect((await send(Buffer.from('abc'), 0, 2)).status).toBe(400)
  expect(readdirSync(folder()).filter((file) => file.endsWith('.part'))).toEqual([])
})

test('what a crash left of a snapshot is removed by the next start, which says so', () => {
  writeFileSync(join(folder(), 'larder-20260101-000000.tar.zst.part'), 'half')
  mkdirSync(join(folder(), 'larder-20260101-000000.tar.zst.copies'))
  app.groups.system.start()
  expect(readdirSync(folder()).filter((name) => /part|copies/.test(name))).toEqual([])
  expect(app.logLines.join('')).toContain('an unfinished snapshot of the last run was removed')
})

test('only the owner sends and restores; without authentication it takes the key', async () => {
  const name = await made()
  const admin = await signInAs(app, 'admin')
  expect((await admin.get('/api/ext/backups')).status).toBe(200)
  expect((await admin.get(`/api/ext/backups/${name}/file`)).status).toBe(403)
  const open = await testApp({ environment: { Security__EnableAuthentication: 'false' } })
  const visitor = await open.request(`/api/ext/backups/${name}/file`)
  expect(visitor.status).toBe(403)
  const headers = { 'X-Api-Key': open.key }
  expect((await open.request(`/api/ext/backups/${name}/file`, { headers })).status).toBe(404)
})

test('without the history no snapshot is made', async () => {
  const away = await testApp()
  const browser = await signInOwner(away)
  const answer = await browser.post('/api/ext/backups')
  expect(await begunJobEnd(away.operations, answer)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('incomplete'),
  })
})
