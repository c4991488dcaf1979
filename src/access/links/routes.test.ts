import { beforeEach, describe, expect, test } from 'bun:test'
import { linksMax } from './links.ts'
import type { CreatedShareLink } from './model.ts'
import type { SharePage } from '../../core/lib/share-pages.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { testApp } from '../../../test/support/app.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { Browser, signInAs, signInOwner } from '../../../test/support/sign-in.ts'

const path = '/api/ext/links'
const time = new ManualTime('2026-11-21T12:00:00.000Z')

/** The body, in the form that the test expects. */
const read = async <T>(answer: Response): Promise<T> => JSON.parse(await answer.text())

async function addEvent(): Promise<string> {
  const event = { name: 'LAN party', startTime: 1_790_000_000, endTime: 1_790_172_800 }
  const { id }: { id: number } = await read(await owner.post('/api/events', event))
  return String(id)
}

const app = await testApp({ history: await freshHistory(), clock: time, timers: time })
const owner = await signInOwner(app)
const eventId = await addEvent()
beforeEach(() => app.control.links.clear())

async function create(
  more: Partial<{ page: SharePage; subject: string; hours: number; label: string }> = {},
): Promise<CreatedShareLink> {
  const answer = await owner.post(path, { page: 'report', subject: eventId, hours: 24, ...more })
  expect(answer.status).toBe(201)
  return read(answer)
}

const open = (token: string, browser = new Browser(app)) =>
  browser.get(`${path}/own`, { headers: { 'X-Share-Link': token } })

const listed = async (): Promise<{ items: Record<string, unknown>[] }> =>
  read(await owner.get(path))

describe('a link', () => {
  test('has a token that is answered once and stored nowhere', async () => {
    const { token, ...shown } = await create({ label: ' Our chat ' })
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(shown).toMatchObject({ page: 'report', subject: eventId, label: 'Our chat' })
    expect(await listed()).toEqual({ items: [shown] })
    const stored = app.state.sqlite.query('SELECT * FROM share_link').all()
    expect(JSON.stringify(stored)).not.toContain(token)
    const hash = new Bun.CryptoHasher('sha256').update(token).digest('hex')
    expect(stored).toMatchObject([{ hash }])
    await open(token)
    expect(app.logLines.join('\n')).not.toContain(token)
  })

  test('says what it opens, and when it was used last', async () => {
    const { token } = await create()
    const answer = await open(token)
    expect(await answer.json()).toEqual({
      page: 'report',
      subject: eventId,
      label: '',
      showsNames: false,
      expiresAtUtc: new Date(time.now().getTime() + 24 * 3_600_000).toISOString(),
    })
    const first = time.now().toISOString()
    await time.advance(30_000)
    await open(token)
    expect((await listed()).items).toMatchObject([{ lastUsedAtUtc: first }])
    await time.advance(30_000)
    await open(token)
    expect((await listed()).items).toMatchObject([{ lastUsedAtUtc: time.now().toISOString() }])
  })

  test('that expired, was revoked or is made up gets the same answer', async () => {
    const expired = await create({ hours: 1 })
    const revoked = await create()
    expect((await owner.delete(`${path}/${revoked.id}`)).status).toBe(200)
    await time.advance(3_600_000)
    const answers = await Promise.all(
      [expired.token, revoked.token, 'x'.repeat(43), ''].map(async (token) => {
        const answer = await open(token)
        const headers = [...answer.headers].filter(([name]) => name !== 'x-request-id')
        return [answer.status, await answer.text(), headers]
      }),
    )
    expect(answers[0]?.slice(0, 2)).toEqual([401, ''])
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect((await listed()).items).toEqual([])
    expect((await owner.delete(`${path}/${revoked.id}`)).status).toBe(404)
  })

  test('works although its address sent many wrong ones, which are limited', async () => {
    const { token } = await create()
    const browser = new Browser(app)
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) statuses.push((await open(`wrong-${n}`, browser)).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
    expect((await open(token, browser)).status).toBe(200)
  })

  test('ends with its event, and with all of them', async () => {
    const other = await addEvent()
    const kept = await create()
    const gone = await create({ subject: other, page: 'party' })
    expect((await owner.delete(`/api/events/${other}`)).status).toBe(200)
    expect((await open(gone.token)).status).toBe(401)
    expect((await open(kept.token)).status).toBe(200)
  })

  test('ends with the installation key', async () => {
    const { token } = await create()
    app.control.announceKeyRotated()
    expect((await open(token)).status).toBe(401)
  })

  test('ends with the account that created it', async () => {
    const { token } = await create()
    const accounts = app.control.accounts
    const id = accounts.owner()?.id ?? ''
    expect(app.state.sqlite.query('SELECT created_by FROM share_link').all()).toEqual([
      { created_by: id },
    ])
    app.state.sqlite.query('SAVEPOINT kept').run()
    app.state.sqlite.query('DELETE FROM account WHERE id = ?').run(id)
    expect((await open(token)).status).toBe(401)
    app.state.sqlite.query('ROLLBACK TO kept').run()
    app.state.sqlite.query('RELEASE kept').run()
  })
})

describe('creating', () => {
  test.each([
    ['an event that is not there', { subject: '999' }, 404],
    ['a subject that is no id', { subject: '1 or 1' }, 404],
    ['a page that is none', { page: 'settings' as SharePage }, 400],
    ['no time', { hours: 0 }, 400],
    ['more than 90 days', { hours: 90 * 24 + 1 }, 400],
    ['a label without end', { label: 'x'.repeat(101) }, 400],
  ])('refuses %s', async (_, more, status) => {
    const body = { page: 'report', subject: eventId, hours: 24, ...more }
    expect((await owner.post(path, body)).status).toBe(status)
    expect((await listed()).items).toEqual([])
  })

  test(`refuses link ${linksMax + 1}; expired ones do not count`, async () => {
    const wanted = { page: 'report', subject: eventId, label: '', showsNames: false } as const
    for (let n = 0; n < linksMax; n++) app.control.links.create({ ...wanted, hours: 1 }, null)
    const body = { page: 'report', subject: eventId, hours: 24 }
    expect((await owner.post(path, body)).status).toBe(409)
    await time.advance(3_600_000)
    expect((await owner.post(path, body)).status).toBe(201)
  })

  test('and revoking are for the owner, and in the audit trail', async () => {
    const admin = await signInAs(app, 'admin')
    const body = { page: 'report', subject: eventId, hours: 24 }
    expect((await admin.post(path, body)).status).toBe(403)
    const { id } = await create()
    expect((await admin.delete(`${path}/${id}`)).status).toBe(403)
    await owner.delete(`${path}/${id}`)
    const { entries } = await read<{ entries: unknown }>(await owner.get('/api/ext/audit?limit=2'))
    expect(entries).toMatchObject([{ event: 'LinkRevoked' }, { event: 'LinkCreated' }])
  })
})

test('sessions and strangers have no link', async () => {
  expect((await owner.get(`${path}/own`)).status).toBe(403)
  expect((await new Browser(app).get(`${path}/own`)).status).toBe(401)
})
