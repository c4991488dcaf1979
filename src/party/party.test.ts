import { beforeEach, describe, expect, test } from 'bun:test'
import type { DashboardStats } from '../downloads/stats/model.ts'
import type { CalendarEvent } from '../downloads/events/model.ts'
import { emptySpeeds } from '../engines/logs/contract.ts'
import type { SpeedSnapshot } from '../engines/logs/wire.ts'
import { testApp } from '../../test/support/app.ts'
import { eventually } from '../../test/support/eventually.ts'
import { ManualTime } from '../../test/support/manual-time.ts'
import { idleEngine } from '../../test/support/report-app.ts'
import {
  bytes,
  grouped,
  seededReport,
  seededUntil,
  sum,
  type PlainDownload,
} from '../../test/support/seeded-report.ts'
import { Browser, signInAs, signInOwner } from '../../test/support/sign-in.ts'
import { createReadyStore } from '../prefill/ready/store.ts'
import type { GuestView, HostParty, KioskView, PartySettings } from './model.ts'
import { createWishStore, deviceWishesMax, wishesMax } from './store.ts'
import { bodyOf } from '../../test/support/answers.ts'

const clock = new ManualTime(seededUntil)
const now = Date.parse(seededUntil) / 1000
const dayLength = 86_400
const settings: PartySettings = {
  rules: 'No shoes',
  wifi: 'lan / secret',
  timetable: [{ atUtc: '2026-11-21T18:00:00.000Z', text: 'Pizza' }],
  showsNames: false,
}

let event: CalendarEvent
let host: HostParty
let speeds: SpeedSnapshot = emptySpeeds(new Date(0))
let path = ''

const seeded = await seededReport(3000)
const { engine } = idleEngine()
const logs = Object.assign(engine, { speeds: () => speeds })
const app = await testApp({ history: seeded.history, clock, logs })
const owner = await signInOwner(app)

const json = async <T = Record<string, unknown>>(answer: Promise<Response>, status = 200) =>
  bodyOf<T>(await answer, status)

beforeEach(async () => {
  speeds = emptySpeeds(clock.now())
  await clock.advance(5000)
  const span = { startTime: now - 3 * dayLength, endTime: now + dayLength }
  event = await json<CalendarEvent>(owner.post('/api/events', { name: 'Party', ...span }))
  path = `/api/ext/party/${event.id}`
  host = await json<HostParty>(owner.put(path, settings))
  await eventually(async () => {
    const [row] = await seeded.client`SELECT is_tagged FROM events WHERE id = ${event.id}`
    return row?.['is_tagged'] === true
  }, 'the event has its downloads')
  await clock.advance(5000)
})

/** A phone that opened the link; with the address of a device. */
function phone(address?: string, link = host.guestPath) {
  const browser = new Browser(app)
  const token = link?.split('#')[1] ?? ''
  const headers = {
    'X-Share-Link': token,
    ...(address !== undefined && { 'X-Forwarded-For': address }),
  }
  const send = (method: string, rest: string, body?: unknown) =>
    browser.send(method, `${path}/${rest}`, { headers, body, withoutToken: true })
  const view = async () => {
    await clock.advance(1000)
    return json<GuestView>(send('GET', 'guest'))
  }
  return { send, view }
}
const kiosk = () => json<KioskView>(phone(undefined, host.kioskPath).send('GET', 'kiosk'))
const inside = () =>
  seeded.all.filter(
    (row) => !row.isPrefill && bytes([row]) > 0 && row.startedAt >= now - 3 * dayLength,
  )
/** Bytes of the games that the beamer has room for. */
const largestGames = (rows: readonly PlainDownload[]) =>
  [
    ...grouped(
      rows.filter(({ gameName }) => gameName !== null),
      ({ gameName, service }) => `${service} ${gameName}`,
    ).values(),
  ]
    .map(bytes)
    .toSorted((a, b) => b - a)
    .slice(0, 8)
const clients = () =>
  [...grouped(inside(), ({ client }) => client)].toSorted(([, a], [, b]) => bytes(b) - bytes(a))

describe('the switch', () => {
  test('is off until the owner turns it on, and ends wishes and links', async () => {
    const other = await json<CalendarEvent>(
      owner.post('/api/events', { name: 'Quiet', startTime: now, endTime: now + 1 }),
    )
    const off = { settings: null, wishes: [], guestPath: null, kioskPath: null }
    expect(await json<HostParty>(owner.get(`/api/ext/party/${other.id}`))).toEqual(off)
    expect((await owner.get(`/api/ext/party/${other.id}/guest`)).status).toBe(404)
    const admin = await signInAs(app, 'admin')
    expect((await admin.put(path, settings)).status).toBe(403)
    expect(host.settings).toEqual(settings)
    const guest = phone()
    await guest.send('POST', 'wishes', { name: 'Doom' })
    expect((await guest.view()).wishes).toHaveLength(1)
    expect((await owner.delete(path)).status).toBe(200)
    expect((await guest.send('GET', 'guest')).status).toBe(401)
    host = await json<HostParty>(owner.put(path, settings))
    expect(host.wishes).toEqual([])
    expect((await guest.send('GET', 'guest')).status).toBe(401)
    expect((await phone().send('GET', 'guest')).status).toBe(200)
  })

  test('a deleted event has no party, and another one with its id begins without', async () => {
    expect((await owner.delete(`/api/events/${event.id}`)).status).toBe(200)
    expect((await phone().send('GET', 'guest')).status).toBe(401)
    await seeded.client`INSERT INTO events (id, name, start_at, end_at, start_local, end_local,
        color_index, created_at, is_tagged) OVERRIDING SYSTEM VALUE
      SELECT ${event.id}, 'Other', now(), now(), '', '', 1, now(), true`
    const { settings: found } = await json<HostParty>(owner.get(path))
    expect(found).toBeNull()
  })

  test('new links end the previous ones', async () => {
    const before = [phone(), phone(undefined, host.kioskPath)] as const
    host = await json<HostParty>(owner.post(`${path}/links`))
    expect((await before[0].send('GET', 'guest')).status).toBe(401)
    expect((await before[1].send('GET', 'kiosk')).status).toBe(401)
    expect((await phone().send('GET', 'guest')).status).toBe(200)
    expect((await kiosk()).guestPath).toBe(host.guestPath)
  })

  test.each([
    ['long rules', { rules: 'x'.repeat(2001) }],
    ['a long text of the network', { wifi: 'x'.repeat(301) }],
    ['a time that is none', { timetable: [{ atUtc: 'noon', text: 'Pizza' }] }],
    ['an empty line', { timetable: [{ atUtc: seededUntil, text: '' }] }],
    [
      'many lines',
      { timetable: Array.from({ length: 51 }, () => ({ atUtc: seededUntil, text: 'x' })) },
    ],
  ])('%s: refused', async (_, part) => {
    expect((await owner.put(path, { ...settings, ...part })).status).toBe(400)
  })
})

describe('what is shown', () => {
  test('sums are those of the event, and of a count over all downloads', async () => {
    const rows = inside()
    const view = await kiosk()
    const { totals } = view
    expect(totals.servedBytes).toBe(bytes(rows))
    expect(totals.savedBytes).toBe(sum(rows, 'hitBytes'))
    expect(totals.downloads).toBe(rows.length)
    expect(totals.devices).toBe(clients().length)
    const { period } = await json<DashboardStats>(
      owner.get(`/api/stats/dashboard?eventId=${event.id}`),
    )
    expect([totals.servedBytes, totals.savedBytes, totals.hitRatio]).toEqual([
      period.totalServed,
      period.bandwidthSaved,
      period.hitRatio,
    ])
    expect(view.devices.map((one) => one.bytes)).toEqual(
      clients()
        .slice(0, 10)
        .map(([, own]) => bytes(own)),
    )
    expect(view.topGames.map((game) => game.bytes)).toEqual(largestGames(rows))
    const newest = rows.toSorted((a, b) => b.startedAt - a.startedAt || b.id - a.id)
    expect(view.newest.map(({ id }) => id)).toEqual(newest.slice(0, 8).map(({ id }) => id))
  })

  test('a client that is not counted is in no game, as it is in no sum', async () => {
    const [[ip] = ['']] = clients()
    const exclude = (rules: object[]) => owner.put('/api/stats/exclusions', { rules })
    await exclude([{ ip, mode: 'exclude' }])
    const rows = inside().filter(({ client }) => client !== ip)
    const { topGames, totals } = await kiosk()
    await exclude([])
    expect(totals.servedBytes).toBe(bytes(rows))
    expect(topGames.map((game) => game.bytes)).toEqual(largestGames(rows))
  })

  test('a device sees its own downloads, and nothing of the others', async () => {
    const [[address, rows] = ['', []], [other] = ['']] = clients()
    const speed = (clientIp: string, gameName: string) => ({
      depotId: 0,
      gameAppId: null,
      betaAppId: null,
      requestCount: 1,
      isEvicted: false,
      service: 'steam',
      totalBytes: 8,
      cacheHitBytes: 8,
      cacheMissBytes: 0,
      cacheHitPercent: 100,
      clientIp,
      gameName,
      bytesPerSecond: 4000,
    })
    const many = Array.from({ length: 30 }, (_, index) => ({
      clientIp: `10.95.0.${index}`,
      bytesPerSecond: 10,
      totalBytes: 20,
      activeGames: 1,
      cacheHitBytes: 20,
      cacheMissBytes: 0,
    }))
    speeds = {
      ...speeds,
      totalBytesPerSecond: 8000,
      clientSpeeds: many,
      gameSpeeds: [speed(address, 'Portal'), speed(other, 'Half-Life')],
    }
    const view = await phone(address).view()
    expect(view.device).toMatchObject({
      bytesPerSecond: 4000,
      games: [{ name: 'Portal', bytesPerSecond: 4000 }],
      bytes: bytes(rows),
      savedBytes: sum(rows, 'hitBytes'),
    })
    expect(view.bytesPerSecond).toBe(8000)
    const beamer = await kiosk()
    expect(beamer.activeDevices).toBe(30)
    const text = JSON.stringify([view, await phone('10.99.0.1').view(), beamer])
    for (const [client] of clients()) expect(text).not.toContain(`"${client}"`)
    expect(JSON.stringify(view)).not.toContain('Half-Life')
    const numbers = await Promise.all(
      clients().map(async ([client]) => {
        const { device } = await json<GuestView>(phone(client).send('GET', 'guest'))
        return device.number
      }),
    )
    expect(new Set(numbers).size).toBe(clients().length)
  })

  test('a device keeps its number when another one is hidden', async () => {
    const numberOf = async (client: string) => (await phone(client).view()).device.number
    const all = clients().map(([client]) => client)
    const before = new Map<string, number | null>()
    for (const client of all) before.set(client, await numberOf(client))
    const first = all.find((client) => before.get(client) === 1) ?? ''
    const hide = (rules: object[]) => owner.put('/api/stats/exclusions', { rules })
    expect((await hide([{ ip: first, mode: 'hide' }])).status).toBe(200)
    for (const client of all) {
      expect(await numberOf(client)).toBe(client === first ? null : (before.get(client) ?? 0))
    }
    await hide([])
    expect(await numberOf(first)).toBe(1)
  })

  test('a name on the kiosk needs the guest who chose it and the permission of the host', async () => {
    const [[address] = [''], [other] = ['']] = clients()
    await owner.post('/api/client-groups', { nickname: 'Secret name', initialIps: [other] })
    const rename = (name: string) => phone(address).send('PUT', 'name', { name })
    const shown = async () => JSON.stringify(await kiosk())
    expect((await rename('Ada 🐸')).status).toBe(200)
    await clock.advance(3000)
    expect(await shown()).not.toContain('Ada')
    expect((await phone(address).view()).device.name).toBe('Ada 🐸')
    await owner.put(path, { ...settings, showsNames: true })
    await clock.advance(3000)
    const { devices } = await kiosk()
    expect(devices.flatMap(({ deviceName }) => deviceName ?? [])).toEqual(['Ada 🐸'])
    expect(await shown()).not.toContain('Secret name')
    expect(JSON.stringify(await phone(other).view())).not.toContain('Ada')
    for (const name of ['two\nlines', 'x'.repeat(25)]) expect((await rename(name)).status).toBe(400)
    await rename(' ')
    await clock.advance(3000)
    expect(await shown()).not.toContain('Ada')
  })

  test('150 phones and a kiosk cost as many queries as one', async () => {
    const read = seeded.history.read.bind(seeded.history)
    let queries = 0
    const counted: typeof read = (...args) => {
      queries++
      return read(...args)
    }
    seeded.history.read = counted
    const ask = async (count: number) => {
      await clock.advance(3000)
      queries = 0
      const views = Array.from({ length: count }, (_, index) =>
        phone(`10.98.0.${index}`).send('GET', 'guest'),
      )
      await Promise.all([...views, kiosk()])
      return queries
    }
    const one = await ask(1)
    expect(one).toBeWithin(1, 10)
    expect(await ask(150)).toBe(one)
    seeded.history.read = read
  })
})

describe('wishes', () => {
  test('each device has one vote for a game, however it is spelled', async () => {
    const [first, second] = [phone('10.97.0.1'), phone('10.97.0.2')]
    await json(first.send('POST', 'wishes', { name: 'Half-Life 2' }))
    await json(first.send('POST', 'wishes', { name: 'half life 2!' }))
    const { wishes } = await json<GuestView>(second.send('POST', 'wishes', { name: 'Doom' }))
    expect(wishes.map(({ name, votes, isVoted }) => [name, votes, isVoted])).toEqual([
      ['Half-Life 2', 1, false],
      ['Doom', 1, true],
    ])
    const [half, doom] = wishes.map(({ id }) => id)
    await json(first.send('PUT', `wishes/${doom}/vote`))
    const voted = await json<GuestView>(first.send('PUT', `wishes/${doom}/vote`))
    expect(voted.wishes.map(({ name, votes }) => [name, votes])).toEqual([
      ['Doom', 2],
      ['Half-Life 2', 1],
    ])
    expect((await kiosk()).wishes.map(({ votes }) => votes)).toEqual([2, 1])
    // Its last vote is taken back.
    const left = await json<GuestView>(first.send('DELETE', `wishes/${half}/vote`))
    expect(left.wishes.map(({ name }) => name)).toEqual(['Doom'])
    expect((await first.send('PUT', `wishes/${half}/vote`)).status).toBe(404)
    expect((await owner.delete(`${path}/wishes/${doom}`)).status).toBe(200)
    expect((await json<HostParty>(owner.get(path))).wishes).toEqual([])
  })

  test('known games are found by their names', async () => {
    const [top] = (await kiosk()).topGames
    const name = top?.name ?? ''
    const found = await json<{ name: string }[]>(
      phone().send('GET', `games?q=${encodeURIComponent(name.toUpperCase())}`),
    )
    expect(found.map((game) => game.name)).toContain(name)
    expect(
      (await phone().send('POST', 'wishes', { name, platform: 'alpha', appId: '1' })).status,
    ).toBe(404)
  })

  test('games of the readiness board come with their state and size', async () => {
    const board = createReadyStore(app.state)
    const game = { platform: 'gamma' as const, appId: 'w3' }
    board.put([{ ...game, name: 'Warcraft III', dueAt: null, addedAt: clock.now() }])
    board.note(game, { totalBytes: 9000 })
    await clock.advance(60_000)
    const found = await json(phone().send('GET', 'games?q=warcraft'))
    expect(found).toEqual([{ ...game, name: 'Warcraft III', isReady: false }] as never)
    await json(phone().send('POST', 'wishes', { name: 'Another name', ...game }))
    const { wishes } = await json<HostParty>(owner.get(path))
    expect(wishes).toMatchObject([
      { ...game, name: 'Warcraft III', votes: 1, state: 'onBoard', totalBytes: 9000 },
    ])
    board.remove(game)
  })

  test.each([[{}], [{ name: '' }], [{ name: '!!!' }], [{ name: 'x'.repeat(81) }]])(
    '%j is refused',
    async (body) => {
      expect((await phone().send('POST', 'wishes', body)).status).toBe(400)
    },
  )

  test('are bounded, for a device and for a party', async () => {
    const store = createWishStore(app.state)
    const wish = (device: number, number: number) => {
      const name = `${device} x ${number}`
      const game = { key: name, name, platform: null, appId: null }
      store.add(event.id, { ...game, device: `10.96.0.${device}`, createdAt: clock.now() })
    }
    const devices = wishesMax / deviceWishesMax
    for (let device = 0; device < devices; device++) {
      for (let number = 0; number < deviceWishesMax; number++) wish(device, number)
      expect(() => wish(device, deviceWishesMax)).toThrow('A device has at most')
    }
    expect(() => wish(devices, 0)).toThrow('A party has at most')
    expect((await phone().send('POST', 'wishes', { name: 'Doom' })).status).toBe(409)
    await clock.advance(1000)
    expect((await json<HostParty>(owner.get(path))).wishes).toHaveLength(wishesMax)
    expect((await kiosk()).wishes).toHaveLength(10)
    // The first hundred, and the last twenty, which are its own.
    expect((await phone(`10.96.0.${devices - 1}`).view()).wishes).toHaveLength(120)
  })

  test('end with the event; the page stays for a day', async () => {
    const guest = phone()
    const over = { name: 'Party', startTime: now - 3 * dayLength, endTime: now - dayLength }
    await json(owner.put(`/api/events/${event.id}`, over))
    expect((await guest.view()).event.state).toBe('over')
    expect((await guest.send('POST', 'wishes', { name: 'Doom' })).status).toBe(409)
  })
})
