import { beforeEach, describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import {
  bytes,
  seededReport,
  seededUntil,
  type PlainDownload,
} from '../../../test/support/seeded-report.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { publishedBy } from '../../../test/support/published-by.ts'
import { signInAs, signInGuest } from '../../../test/support/sign-in.ts'
import type { CalendarEvent } from './model.ts'
import { bodyOf as json } from '../../../test/support/answers.ts'

const clock = new ManualTime(seededUntil)
const now = Date.parse(seededUntil) / 1000

const seeded = await seededReport(3000)
const clientDownloads = seeded.all.filter((row) => !row.isPrefill && bytes([row]) > 0)
const app = await testApp({ history: seeded.history, clock })
const user = await signInAs(app, 'user')
const guest = await signInGuest(app)
const published = publishedBy(app.hub)
beforeEach(async () => {
  await seeded.client`DELETE FROM events`
  published.length = 0
})

/** Not begun, so that nothing is tagged in the background. */
const party = { name: 'Party', startTime: now + 3600, endTime: now + 86_400 }
const create = async (body: object = {}) =>
  json<CalendarEvent>(await user.post('/api/events', { ...party, ...body }), 200)
const idsOf = async (path: string, browser = guest): Promise<number[]> =>
  (await json<{ id: number }[]>(await browser.get(path))).map(({ id }) => id)

test('the life cycle of an event', async () => {
  const response = await user.post('/api/events', {
    ...party,
    name: ' Party ',
    description: ' all weekend ',
    startTimeLocal: '2026-11-20T13:00:00+01:00',
    endTimeLocal: null,
    colorIndex: 8,
  })
  const event = await json<CalendarEvent>(response, 200)
  expect(response.headers.get('Location')).toBe(`/api/events/${event.id}`)
  expect(event).toEqual({
    id: event.id,
    name: 'Party',
    description: 'all weekend',
    startTimeUtc: '2026-11-21T13:00:00.000Z',
    endTimeUtc: '2026-11-22T12:00:00.000Z',
    startTimeLocal: '2026-11-20T13:00:00+01:00',
    endTimeLocal: '2026-11-22T12:00:00.000Z',
    colorIndex: 8,
    createdAtUtc: seededUntil,
    updatedAtUtc: null,
    eventDownloads: [],
  })
  expect(await json(await guest.get(`/api/events/${event.id}`))).toEqual(event)
  expect(await json<unknown>(await guest.get('/api/events'))).toEqual([event])
  expect(published).toEqual([{ event: 'EventCreated', data: event }])

  const change = { name: 'Longer', startTime: now + 7200, endTime: now + 7210, colorIndex: null }
  const changed = await json<CalendarEvent>(await user.put(`/api/events/${event.id}`, change))
  expect(changed).toEqual({
    ...event,
    name: 'Longer',
    description: null,
    startTimeUtc: '2026-11-21T14:00:00.000Z',
    endTimeUtc: '2026-11-21T14:00:10.000Z',
    startTimeLocal: '2026-11-21T14:00:00.000Z',
    endTimeLocal: '2026-11-21T14:00:10.000Z',
    updatedAtUtc: seededUntil,
  })
  expect(published.at(-1)).toEqual({ event: 'EventUpdated', data: changed })

  const gone = await user.delete(`/api/events/${event.id}`)
  expect([gone.status, await gone.text()]).toEqual([200, ''])
  expect(published.at(-1)).toEqual({ event: 'EventDeleted', data: event.id })
  expect(await json<unknown>(await guest.get('/api/events'))).toEqual([])
})

describe('invalid values', () => {
  test.each([
    [{ name: '' }, 'Name'],
    [{ name: null }, 'Name'],
    [{ name: 'x'.repeat(201) }, 'Name'],
    [{ description: 'x'.repeat(1001) }, 'Description'],
    [{ startTime: 0 }, 'StartTime'],
    [{ startTime: -5 }, 'StartTime'],
    [{ startTime: now * 1000 }, 'StartTime'],
    [{ startTime: 1.5 }, 'StartTime'],
    [{ endTime: undefined }, 'EndTime'],
    [{ endTime: party.startTime }, 'EndTime'],
    [{ colorIndex: 0 }, 'ColorIndex'],
    [{ colorIndex: 9 }, 'ColorIndex'],
    [{ colorIndex: 2.5 }, 'ColorIndex'],
    [{ startTimeLocal: '<b>now</b>' }, 'StartTimeLocal'],
    [{ endTimeLocal: 'x'.repeat(65) }, 'EndTimeLocal'],
  ])('%j: the answer names %s', async (body, field) => {
    const { id } = await create()
    for (const [method, path] of [
      ['POST', '/api/events'],
      ['PUT', `/api/events/${id}`],
    ] as const) {
      const response = await user.send(method, path, { body: { ...party, ...body } })
      expect(await json(response, 400)).toMatchObject({
        error: 'Validation failed',
        errors: [{ field }],
      })
    }
    expect(await idsOf('/api/events')).toEqual([id])
  })

  test('all faults are reported together', async () => {
    const body = await json<{ errors: { field: string }[] }>(
      await user.post('/api/events', {}),
      400,
    )
    expect(body.errors.map(({ field }) => field)).toEqual(['Name', 'StartTime', 'EndTime'])
  })

  test.each([[{ ...party, name: 5 }], [{ ...party, startTime: 'noon' }], ['text'], [[]]])(
    '%j is malformed',
    async (body) => {
      expect((await user.post('/api/events', body)).status).toBe(400)
    },
  )

  test.each([
    ['GET', '/api/events/999999', undefined, 'Event'],
    ['GET', '/api/events/999999/downloads', undefined, 'Event'],
    ['PUT', '/api/events/999999', party, 'Event'],
    ['DELETE', '/api/events/999999', undefined, 'Event'],
    ['POST', '/api/events/999999/downloads/5', undefined, 'Event'],
  ])('%s %s: not found', async (method, path, body, thing) => {
    const missing = await json(await user.send(method, path, { body }), 404)
    expect(missing).toEqual({ error: `${thing} not found` })
  })

  // Numeric, but no row's id: answered like every unknown id.
  test.each(['0', '-1', '9007199254740993', '99999999999999999999'])('the id %s', async (id) => {
    for (const path of [`/api/events/${id}`, `/api/events/${id}/downloads`]) {
      expect(await json(await guest.get(path), 404)).toEqual({ error: 'Event not found' })
    }
    const tagged = await user.post(`/api/events/${id}/downloads/${id}`)
    expect(await json(tagged, 404)).toEqual({ error: 'Event not found' })
    expect((await guest.get(`/api/downloads/${id}`)).status).toBe(404)
    expect((await user.get(`/api/client-groups/${id}`)).status).toBe(404)
    // No integer in a query is that large; in a path it is an unknown id.
    const inQuery = id.length > 10 ? 400 : 404
    for (const report of [
      'stats/dashboard',
      'stats/services',
      'stats/clients',
      'dashboard/batch',
    ]) {
      expect((await user.get(`/api/${report}?eventId=${id}`)).status).toBe(inQuery)
    }
    expect((await guest.get(`/api/downloads/retro?EventId=${id}`)).status).toBe(inQuery)
  })

  test.each(['start=x', 'end=-1', 'start=99999999999999'])('calendar?%s', async (query) => {
    expect((await guest.get(`/api/events/calendar?${query}`)).status).toBe(400)
  })
})

test('lists by start, by current time and by range', async () => {
  const day = 86_400
  const spans: [string, number, number][] = [
    ['past', now - 3 * day, now - 2 * day],
    ['ends now', now - day, now],
    ['starts now', now, now + 5],
    ['future', now + day, now + 2 * day],
  ]
  const ids: Record<string, number> = {}
  for (const [name, startTime, endTime] of spans.toReversed()) {
    ids[name] = (await create({ name, startTime, endTime })).id
  }
  const named = (...names: string[]) => names.map((name) => ids[name] ?? 0)
  expect(await idsOf('/api/events')).toEqual(named('future', 'starts now', 'ends now', 'past'))
  expect(await idsOf('/api/events/active')).toEqual(named('ends now', 'starts now'))
  const range = (start: number, end: number) =>
    idsOf(`/api/events/calendar?start=${start}&end=${end}`)
  expect(await range(now - 2 * day, now - 1)).toEqual(named('past', 'ends now'))
  expect(await range(now + 6, now + day)).toEqual(named('future'))
  expect(await range(now + 6, now + 7)).toEqual([])
  expect(await range(now, now - 1)).toEqual([])
  expect(await idsOf('/api/events/calendar')).toEqual([])
})

describe('downloads of an event', () => {
  const inside = () => {
    const [from, until] = [now - 10 * 86_400, now - 9 * 86_400]
    return clientDownloads.filter(({ startedAt }) => startedAt >= from && startedAt <= until)
  }

  test('are those that began inside it, or those with its tag', async () => {
    const { id } = await create({ startTime: now - 10 * 86_400, endTime: now - 9 * 86_400 })
    const began = inside().toReversed()
    expect(began.length).toBeGreaterThan(5)
    expect(await idsOf(`/api/events/${id}/downloads`)).toEqual(began.map((row) => row.id))
    const path = `/api/events/${id}/downloads?taggedOnly=true`
    const ids = began.map((row) => row.id)
    await eventually(async () => (await idsOf(path)).length === ids.length, 'it is tagged')
    const [far, none] = [clientDownloads[3]?.id ?? 0, ids[0] ?? 0]
    await user.post(`/api/events/${id}/downloads/${far}`)
    await user.delete(`/api/events/${id}/downloads/${none}`)
    expect(await idsOf(path)).toEqual([...ids.filter((one) => one !== none), far])
  })

  test('exclude hidden clients', async () => {
    const { id } = await create({ startTime: now - 10 * 86_400, endTime: now - 9 * 86_400 })
    const { client } = inside()[0] as PlainDownload
    await user.put('/api/stats/exclusions', { rules: [{ ip: client, mode: 'hide' }] })
    const left = inside().filter((row) => row.client !== client)
    expect((await idsOf(`/api/events/${id}/downloads`)).toReversed()).toEqual(
      left.map((row) => row.id),
    )
    await user.put('/api/stats/exclusions', { rules: [] })
  })
})

describe('tags', () => {
  const tagsOf = async (downloadIds: unknown) =>
    json(await guest.post('/api/downloads/batch-download-events', { downloadIds }))

  test('are added once, removed and added again', async () => {
    const { id, name, colorIndex } = await create()
    const path = `/api/events/${id}/downloads/7`
    for (let round = 0; round < 2; round++) {
      expect(Object.keys(await json(await user.post(path)))).toEqual(['message'])
    }
    const tag = { id, name, colorIndex, autoTagged: false }
    expect(published.at(-1)).toEqual({
      event: 'DownloadTagged',
      data: { eventId: id, downloadId: 7 },
    })
    expect(await tagsOf([7, 8, 7])).toEqual({ 7: { events: [tag] }, 8: { events: [] } })
    expect(await json(await guest.get('/api/downloads/7'))).toMatchObject({ events: [tag] })
    for (let round = 0; round < 2; round++) {
      const removed = await user.delete(path)
      expect([removed.status, await removed.text()]).toEqual([200, ''])
    }
    expect(await tagsOf([7])).toEqual({ 7: { events: [] } })
    await user.post(path)
    expect(await tagsOf([7])).toEqual({ 7: { events: [tag] } })
    // Removing what does not exist succeeds.
    expect((await user.delete('/api/events/999999/downloads/7')).status).toBe(200)
    const missing = await user.post(`/api/events/${id}/downloads/999999`)
    expect(await json(missing, 404)).toEqual({ error: 'Download not found' })
  })

  test('change event reports immediately', async () => {
    const { id } = await create()
    const report = `/api/stats/dashboard?eventId=${id}&startTime=1&endTime=${now - 100}`
    const served = async () =>
      (await json<{ period: { totalServed: number } }>(await guest.get(report))).period.totalServed
    const row = clientDownloads[10] as PlainDownload
    expect(await served()).toBe(0)
    await user.post(`/api/events/${id}/downloads/${row.id}`)
    expect(await served()).toBe(bytes([row]))
    await user.delete(`/api/events/${id}/downloads/${row.id}`)
    expect(await served()).toBe(0)
    await user.post(`/api/events/${id}/downloads/${row.id}`)
    await user.delete(`/api/events/${id}`)
    expect((await guest.get(report)).status).toBe(404)
    const [left] = await seeded.client`SELECT count(*)::int AS tags FROM event_downloads`
    expect(left?.tags).toBe(0)
  })

  test('of none, of many and of too many downloads', async () => {
    expect(await tagsOf(null)).toEqual({})
    expect(await tagsOf([])).toEqual({})
    expect(await json(await guest.post('/api/downloads/batch-download-events', {}))).toEqual({})
    const many = Array.from({ length: 700 }, (_, index) => index + 1)
    expect(Object.keys(await tagsOf(many))).toHaveLength(500)
    for (const wrong of ['7', [1.5], ['a'], { 7: 7 }]) {
      const body = { downloadIds: wrong }
      expect((await guest.post('/api/downloads/batch-download-events', body)).status).toBe(400)
    }
  })
})

test('while the history is away: 503 with Retry-After', async () => {
  const alone = await testApp()
  const browser = await signInAs(alone, 'user')
  for (const [method, path, body] of [
    ['GET', '/api/events'],
    ['GET', '/api/events/active'],
    ['GET', '/api/events/calendar?start=1&end=2'],
    ['GET', '/api/events/1'],
    ['GET', '/api/events/1/downloads'],
    ['POST', '/api/events', party],
    ['PUT', '/api/events/1', party],
    ['DELETE', '/api/events/1'],
    ['POST', '/api/events/1/downloads/1'],
    ['DELETE', '/api/events/1/downloads/1'],
    ['POST', '/api/downloads/batch-download-events', { downloadIds: [1] }],
  ] as const) {
    const response = await browser.send(method, path, { body })
    expect([path, response.status, response.headers.get('Retry-After')]).toEqual([path, 503, '5'])
  }
  await alone.stop()
})
