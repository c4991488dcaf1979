import { describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { Browser, signInAs, signInGuest } from '../../../test/support/sign-in.ts'
import { wrongSecrets } from '../../core/http/rate-limit.ts'
import type { CalendarFeed } from './feed.ts'

const ics = '/api/ext/events/calendar.ics'
const feed = '/api/ext/events/feed'

const history = await freshHistory()
const app = await testApp({ history })
const user = await signInAs(app, 'user')

/** The properties of every entry, unfolded according to RFC 5545 (3.1 and 3.3.11). */
function entriesOf(text: string): Map<string, string>[] {
  const lines = text.replaceAll('\r\n ', '').split('\r\n')
  const entries: Map<string, string>[] = []
  for (const line of lines) {
    if (line === 'BEGIN:VEVENT') entries.push(new Map())
    const [name = '', ...value] = line.split(':')
    entries.at(-1)?.set(name.split(';')[0] ?? '', value.join(':'))
  }
  return entries
}

const unescaped = (text: string | undefined) =>
  text?.replaceAll(/\\([\\;,nN])/g, (_, mark: string) => (/n/i.test(mark) ? '\n' : mark))

const feedOf = async (browser: Browser): Promise<CalendarFeed> =>
  JSON.parse(await (await browser.get(feed)).text())

describe('the calendar', () => {
  const name = 'Party; with, "all" \\ of it – Größe'
  const description = `First line\nsecond; line, ${'ünd '.repeat(60)}end`

  test('holds every event, escaped and folded', async () => {
    const created = await user.post('/api/events', {
      name,
      description,
      startTime: 1_790_000_000,
      endTime: 1_790_007_200,
    })
    const event: { id: number; createdAtUtc: string } = JSON.parse(await created.text())
    await user.post('/api/events', { name: 'Second', startTime: 10, endTime: 20 })
    const response = await (await signInGuest(app)).get(ics)
    expect(response.headers.get('Content-Type')).toBe('text/calendar; charset=utf-8')
    const text = await response.text()
    expect(text.split('\r\n').filter((line) => Buffer.byteLength(line) > 75)).toEqual([])
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(text.startsWith('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:')).toBe(true)
    const entries = entriesOf(text)
    expect(entries).toHaveLength(2)
    const [entry] = entries
    expect(unescaped(entry?.get('SUMMARY'))).toBe(name)
    expect(unescaped(entry?.get('DESCRIPTION'))).toBe(description)
    expect(entry?.get('DTSTART')).toBe('20260921T141320Z')
    expect(entry?.get('DTEND')).toBe('20260921T161320Z')
    const madeAt = Math.floor(Date.parse(event.createdAtUtc) / 1000)
    expect(entry?.get('UID')).toBe(`event-${event.id}-${madeAt}@larder`)
    expect(await (await user.get(ics)).text()).toBe(text)
  })

  test("keeps an event's id when it changes", async () => {
    const before = entriesOf(await (await user.get(ics)).text())
    const [first] = JSON.parse(await (await user.get('/api/events')).text())
    const change = { name: 'Renamed', startTime: 1_790_000_000, endTime: 1_790_003_600 }
    await user.put(`/api/events/${first.id}`, change)
    const after = entriesOf(await (await user.get(ics)).text())
    expect(after.map((entry) => entry.get('UID'))).toEqual(before.map((entry) => entry.get('UID')))
    expect(after[0]?.get('SUMMARY')).toBe('Renamed')
  })
})

describe('the feed', () => {
  test('needs a token, which can be replaced and revoked', async () => {
    const stranger = () => new Browser(app)
    expect((await stranger().get(ics)).status).toBe(401)
    expect((await stranger().get(`${ics}?token=`)).status).toBe(401)
    expect(await feedOf(user)).toEqual({ token: null, path: null, createdAtUtc: null })
    const first: CalendarFeed = JSON.parse(await (await user.post(feed)).text())
    expect(first.path).toBe(`${ics}?token=${first.token}`)
    expect(first.token?.length ?? 0).toBeGreaterThan(40)
    expect(await feedOf(user)).toEqual(first)
    expect(await (await stranger().get(first.path ?? '')).text()).toContain('BEGIN:VCALENDAR')
    const second: CalendarFeed = JSON.parse(await (await user.post(feed)).text())
    expect((await stranger().get(first.path ?? '')).status).toBe(401)
    expect((await stranger().get(second.path ?? '')).status).toBe(200)
    expect((await user.delete(feed)).status).toBe(200)
    expect((await stranger().get(second.path ?? '')).status).toBe(401)
    expect(app.logLines.join('\n')).not.toContain(second.token ?? '')
  })

  test('wrong tokens are limited by address, and never keep out a right one', async () => {
    const { path }: CalendarFeed = JSON.parse(await (await user.post(feed)).text())
    const guesser = new Browser(app)
    const guess = async () => (await guesser.get(`${ics}?token=wrong`)).status
    for (let n = 0; n < wrongSecrets.attempts; n++) expect(await guess()).toBe(401)
    expect(await guess()).toBe(429)
    expect((await guesser.get(path ?? '')).status).toBe(200)
    expect((await guesser.get(ics)).status).toBe(401)
    expect((await new Browser(app).get(`${ics}?token=wrong`)).status).toBe(401)
  })
})
