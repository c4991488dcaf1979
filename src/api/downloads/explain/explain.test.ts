import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { testApp, type TestApp } from '../../../../test/support/app.ts'
import { ManualTime } from '../../../../test/support/manual-time.ts'
import {
  seededReport,
  seededUntil,
  type PlainDownload,
} from '../../../../test/support/seeded-report.ts'
import { Browser, signInAs, signInGuest } from '../../../../test/support/sign-in.ts'
import { numberNames, numberRules } from './catalogue.ts'
import type { Explanation } from './model.ts'

let seeded: Awaited<ReturnType<typeof seededReport>>
let app: TestApp
let user: Browser
let guest: Browser
const end = Date.parse(seededUntil) / 1000
const hidden = '10.0.0.12'
const excluded = '10.0.1.15'
const client = '10.0.0.11'
/** Of the newest download of a game that both left-out clients have, too. */
let game: { service: string; id: string; download: number }

beforeAll(async () => {
  seeded = await seededReport(10_000)
  const people = seeded.all.filter(({ isPrefill }) => !isPrefill)
  const takers = (id: number | null) =>
    new Set(people.filter(({ appId }) => appId === id).map((row) => row.client))
  const taken = people.findLast(({ appId, client: ip }) => {
    const all = takers(appId)
    return appId !== null && ip === client && all.has(hidden) && all.has(excluded)
  })
  if (taken === undefined) throw new Error('no game that all of them have')
  game = { service: taken.service, id: String(taken.appId), download: taken.id }
  app = await testApp({
    history: seeded.history,
    clock: new ManualTime(seededUntil),
    isIndexing: true,
  })
  user = await signInAs(app, 'user')
  guest = await signInGuest(app)
}, 60_000)
afterAll(async () => {
  await app.stop()
  await seeded.stop()
})
afterEach(() => user.put('/api/stats/exclusions', { rules: [] }))

const leaveOut = () =>
  user.put('/api/stats/exclusions', {
    rules: [
      { ip: hidden, mode: 'hide' },
      { ip: excluded, mode: 'exclude' },
    ],
  })

async function read(path: string, browser = user) {
  const response = await browser.get(path)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}

const explain = (number: string, query = '', browser = user): Promise<Explanation> =>
  read(
    `/api/ext/explain/${number}?client=${client}&service=${game.service}&game=${game.id}` +
      `&download=${game.download}${query}`,
    browser,
  )

/** Where the figures are shown. */
const shownAt = (query: string): Record<string, string> => ({
  dashboard: `/api/stats/dashboard?${query}`,
  speeds: '/api/Speeds/current',
  downloads: `/api/downloads/retro?${query}`,
  client: `/api/ext/clients/${client}`,
  game: `/api/ext/games/${game.service}/${game.id}`,
  service: `/api/ext/services/${game.service}`,
  download: `/api/downloads/${game.download}`,
  cache: '/api/cache',
  forecast: '/api/ext/cache/forecast',
  detection: '/api/games/detect/cached',
})

interface Speeds {
  gameSpeeds: unknown[]
  clientSpeeds: unknown[]
  [name: string]: unknown
}

/** The figure as its page has it. */
async function shown(number: string, query: string): Promise<unknown> {
  const [origin = '', ...path] = number.split('.')
  if (origin === 'cache') {
    return (await read('/api/dashboard/batch')).cache[path[0] ?? '']
  }
  if (number.startsWith('client.period.')) {
    const all = '&mergeGroups=false&includeExcluded=true&limit=1000'
    const rows: Record<string, unknown>[] = await read(`/api/stats/clients?${query}${all}`)
    return rows.find(({ clientIp }) => clientIp === client)?.[path[1] ?? '']
  }
  const answer = await read(shownAt(query)[origin] ?? '')
  if (origin === 'speeds') {
    const { gameSpeeds, clientSpeeds, ...rest }: Speeds = answer
    const counts = { activeGames: gameSpeeds.length, activeClients: clientSpeeds.length }
    return { ...rest, ...counts }[path[0] ?? '']
  }
  const all = { ...answer, ...answer.totals, ...answer.download }
  return path.reduce<Record<string, unknown>>(
    (part, name) => part[name] as Record<string, unknown>,
    all,
  )
}

describe('every number', () => {
  const month = `startTime=${end - 30 * 86_400}&endTime=${end - 86_400}`
  test.each(numberNames)('%s is the value that is shown', async (number) => {
    for (const query of ['', month]) {
      await leaveOut()
      const explanation = await explain(number, query === '' ? '' : `&${query}`)
      const value = await shown(number, query)
      const isDisk = number.startsWith('cache.') || number === 'forecast.roomBytes'
      // The rest of the machine writes to the disk meanwhile.
      if (isDisk) expect(typeof explanation.value).toBe('number')
      else expect(explanation.value as unknown).toBe(value)
      expect(explanation.unit).toBe(numberRules[number].unit)
      expect(explanation.rows.length).toBeLessThanOrEqual(20)
      expect(JSON.stringify(explanation)).not.toContain(`"${hidden}"`)
      expect(explanation.range.startTimeUtc).toBe(
        query !== '' && numberRules[number].range === 'asked'
          ? new Date((end - 30 * 86_400) * 1000).toISOString()
          : null,
      )
    }
  })

  test('is a term of the page about numbers', async () => {
    const text = await Bun.file(join(import.meta.dir, '../../../../docs/numbers.md')).text()
    const unknown = numberNames.filter((number) => {
      const [, ...path] = number.split('.')
      return !text.includes(`\`${path.join('.')}\``) && !text.includes(`\`${path.at(-1)}\``)
    })
    expect(unknown).toEqual([])
  })
})

describe('what is not in a number', () => {
  const isIn = ({ startedAt }: PlainDownload, start: number) => startedAt >= start

  test('is counted by the first reason', async () => {
    await leaveOut()
    const start = end - 100 * 86_400
    const rows = seeded.all.filter((row) => isIn(row, Math.floor(start / 300) * 300))
    const people = rows.filter(({ isPrefill }) => !isPrefill)
    const of = (ip: string) => people.filter((row) => row.client === ip).length
    const wanted = [
      { reason: 'outsideRange' as const, count: seeded.all.length - rows.length },
      { reason: 'prefill' as const, count: rows.length - people.length },
      { reason: 'hiddenClients' as const, count: of(hidden) },
      { reason: 'excludedClients' as const, count: of(excluded) },
    ]
    const number = 'dashboard.period.downloads'
    const answer = await explain(number, `&startTime=${start}`)
    expect(answer.excluded).toEqual(wanted)
    const left = wanted.reduce((sum, { count }) => sum + count, 0)
    expect(answer.value).toBe(seeded.all.length - left)
    // Guests are not told that somebody is hidden.
    const seen = await explain(number, `&startTime=${start}`, guest)
    expect(seen.excluded).toEqual(wanted.filter(({ reason }) => reason !== 'hiddenClients'))
    const all = await explain(number, `&startTime=${start}&includePrefill=true`)
    expect(all.excluded.map(({ reason }) => reason)).not.toContain('prefill')
  })

  test('of one client is its prefill', async () => {
    const own = seeded.all.filter((row) => row.client === client)
    const answer = await explain('client.downloads')
    expect(answer.excluded).toEqual([
      { reason: 'prefill', count: own.filter(({ isPrefill }) => isPrefill).length },
    ])
    expect(new Set(answer.rows.map(({ clientIp }) => clientIp))).toEqual(new Set([client]))
    const newest = own.filter(({ isPrefill }) => !isPrefill).sort((a, b) => b.endedAt - a.endedAt)
    expect(answer.rows.map(({ downloadId }) => downloadId)).toEqual(
      newest.slice(0, 20).map(({ id }) => id),
    )
  })
})

test.each([
  ['dashboard.nothing', 404],
  ['constructor', 404],
  ['client.downloads', 400],
  ['client.downloads?client=x', 400],
  ['client.downloads?client=10.9.9.9', 404],
  ['game.downloads?service=steam', 400],
  ['game.downloads?game=1000', 400],
  ['game.downloads?service=steam&game=4711', 404],
  ['service.downloads', 400],
  ['service.downloads?service=gog', 404],
  ['download.totalBytes', 400],
  ['download.totalBytes?download=one', 400],
  ['download.totalBytes?download=987654', 404],
  ['dashboard.totalServed?eventId=987654', 404],
  ['dashboard.totalServed?startTime=9&endTime=1', 400],
])('%s is refused with %d', async (path, status) => {
  expect((await user.get(`/api/ext/explain/${path}`)).status).toBe(status)
})

test('numbers of a client are for account holders', async () => {
  const path = `/api/ext/explain/client.downloads?client=${client}`
  expect((await guest.get(path)).status).toBe(403)
  expect((await new Browser(app).get(path)).status).toBe(401)
})
