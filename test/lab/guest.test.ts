import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { installationKey } from '../../src/demo/visitor.ts'
import { events } from '../../src/app.ts'
import { contractOperations, type Operation } from '../contract/contract.ts'
import { logLine } from '../support/log-lines.ts'
import { Caller, listen } from './caller.ts'
import { Larder } from './larder.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('guest')
const project = join(import.meta.dir, '../..')
const boss = { username: 'quartermaster', password: 'Bread-And-Butter-26' }
const anna = { username: 'anna-next-door', password: 'Jam-And-Honey-2026', role: 'user' }
const hiddenClient = '10.7.0.99'
/** Of administration, while the guest listens. */
const rounds = 6
let larder: Larder
let key: string
let owner: Caller
let guest: Caller
let guestId: string
/** Values that a guest must never receive, by description. */
const withheld = new Map<string, string>()
/** Existing ids for path parameters. */
const ids: Record<string, string> = {}
let writer: NodeJS.Timeout

/** Traffic of two clients and of one that the owner hides. */
function writeTraffic(): void {
  const at = Math.floor(Date.now() / 1000)
  const lines = ['10.7.0.1', '10.7.0.2', hiddenClient].map((client, index) =>
    logLine({ at, client, path: `/depot/44${index}/chunk/aa`, bytes: 900_000 }),
  )
  appendFileSync(join(root, 'logs', 'access.log'), lines.join(''))
}

async function readJson<T>(caller: Caller, path: string): Promise<T> {
  const response = await caller.call('GET', path)
  expect(response.status).toBe(200)
  // The caller names the response type of our own endpoint.
  return (await response.json()) as T
}

async function create(path: string, body: unknown): Promise<string> {
  const response = await owner.call('POST', path, { body })
  expect(response.ok).toBe(true)
  return String(((await response.json()) as { id: number | string }).id)
}

const write = async (method: string, path: string, body?: unknown) => {
  const response = await owner.call(method, path, body === undefined ? {} : { body })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
}

interface Status {
  sessionId: string
  accountId: string | null
}

/** Signs in and withholds that session's data. */
async function enter(what: string, account: { username: string; password: string } | null) {
  const caller = new Caller(larder.url)
  if (account === null) {
    await caller.status('GET', '/api/auth/status')
    expect(await caller.status('POST', '/api/auth/guest')).toBe(200)
    await caller.status('GET', '/api/auth/status')
  } else {
    expect(await caller.signIn(key, account)).toBe(200)
  }
  const { sessionId, accountId } = await readJson<Status>(caller, '/api/auth/status')
  if (what !== 'guest') {
    withheld.set(`session of ${what}`, sessionId)
    withheld.set(`address of ${what}`, caller.address)
    if (accountId !== null) withheld.set(`account of ${what}`, accountId)
  }
  return { caller, sessionId }
}

beforeAll(async () => {
  mkdirSync(join(root, 'cache'))
  larder = await Larder.startIn(root)
  key = installationKey(larder.dataPath)
  const setup = { body: { apiKey: key, ...boss } }
  await new Caller(larder.url).status('POST', '/api/account-setup/first-admin', setup)
  const signedIn = await enter('owner', boss)
  owner = signedIn.caller
  await write('PATCH', '/api/system/setup', { completed: true })
  await write('PUT', '/api/stats/exclusions', { rules: [{ ip: hiddenClient, mode: 'hide' }] })
  writeTraffic()
  writer = setInterval(writeTraffic, 250)
  ids['accounts'] = await create('/api/accounts', anna)
  await enter('anna', anna)
  await enter('another guest', null)
  const entered = await enter('guest', null)
  guest = entered.caller
  guestId = entered.sessionId
  withheld.set('folder', root)
  withheld.set('program', `${project}/`)
  withheld.set('key', key)
  withheld.set('hidden client', hiddenClient)
  withheld.set('name of the owner', boss.username)
  withheld.set('name of anna', anna.username)
  await eventually(() => larder.output.includes('history ready'), 'the history is there')
  const now = Math.floor(Date.now() / 1000)
  const party = { name: 'Party', startTime: now - 3600, endTime: now + 3600 }
  ids['events'] = await create('/api/events', party)
  ids['client-groups'] = await create('/api/client-groups', {
    nickname: 'Row 1',
    initialIps: ['10.7.0.1'],
  })
  ids['session'] = withheld.get('session of owner') ?? ''
  ids['operations'] = crypto.randomUUID()
  ids['themes'] = 'none-of-ours'
  ids['history'] = crypto.randomUUID()
  ids['services'] = 'steam'
  ids['game-images'] = '730'
  ids['beta'] = 'unknown'
  ids['schedules'] = 'cacheReconciliation'
  ids['sessions'] = '0123456789abcdef'
  let rows: { id: number }[] = []
  await eventually(async () => {
    rows = await readJson(owner, '/api/downloads/with-associations?count=5')
    return rows.length > 0
  }, 'a download is in the history')
  ids['downloads'] = String(rows[0]?.id)
})

afterAll(async () => {
  clearInterval(writer)
  expect(await larder.stop()).toBe(0)
})

const met = (text: string) =>
  [...withheld].filter(([, secret]) => text.includes(secret)).map(([what]) => what)

/** With an existing id, so that the response has content. */
function addressOf({ path, queryNames }: Operation): string {
  const filled = path
    .replace('name/{service}/{slug}', 'name/gamma/unknown')
    .replaceAll(/([\w-]+)\/\{\w+\}/g, (_, group: string) => {
      const id = ids[group]
      if (id === undefined) throw new Error(`${path}: no id for ${group}`)
      return `${group}/${id}`
    })
  const now = Math.floor(Date.now() / 1000)
  const known: Record<string, string> = {
    start: String(now - 86_400),
    end: String(now + 86_400),
    count: '50',
  }
  const query = queryNames.filter((name) => name in known).map((name) => `${name}=${known[name]}`)
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

const reads = contractOperations.filter(({ method }) => method === 'GET')

describe('a guest reads', () => {
  test.each(reads.map((operation) => [operation.key, operation] as const))(
    '%s',
    async (_, operation) => {
      const response = await guest.call('GET', addressOf(operation))
      const text = await response.text()
      if (operation.policy === 'session' || operation.policy === 'public') {
        const isThere = !/themes\/\{|\/header$/.test(operation.path)
        expect([response.status, text]).toEqual([isThere ? 200 : 404, text])
        const head = JSON.stringify([...response.headers])
        expect(met(head + text)).toEqual([])
      } else {
        expect([response.status, text]).toEqual([403, ''])
      }
    },
  )

  test('nothing of others beyond the contract', async () => {
    const document = await readJson<{ paths: Record<string, object> }>(owner, '/openapi/ext.json')
    const paths = Object.entries(document.paths)
      .filter(([path, methods]) => 'get' in methods && !path.includes('{'))
      .map(([path]) => path)
    expect(paths).toContain('/api/ext/audit')
    for (const path of paths) {
      const response = await guest.call('GET', path)
      expect([path, met(await response.text())]).toEqual([path, []])
    }
    expect(await guest.status('GET', '/api/ext/audit')).toBe(403)
  })

  test('figures of the traffic, without the hidden client', async () => {
    const { clientSpeeds } = await readJson<{ clientSpeeds: { clientIp: string }[] }>(
      guest,
      '/api/Speeds/current',
    )
    expect(clientSpeeds.map(({ clientIp }) => clientIp).sort()).toEqual(['10.7.0.1', '10.7.0.2'])
  })
})

/** One round of administration; every action publishes an event on the live channel. */
async function administrate(round: number, otherGuest: string): Promise<void> {
  owner.move()
  const name = `helper-${round}`
  withheld.set(name, name)
  withheld.set(`address of the owner, round ${round}`, owner.address)
  const helper = { username: name, password: 'Cheese-And-Wine-26', role: 'user' }
  const id = await create('/api/accounts', helper)
  withheld.set(`account ${name}`, id)
  await enter(name, helper)
  const visit = await enter(`guest ${round}`, null)
  await write('POST', '/api/logs/process')
  const clock = { useUtcTimezone: true, useLocalTimezone: false, use24HourFormat: round % 2 === 0 }
  await write('PATCH', '/api/user-preferences/clock', clock)
  for (const sessionId of [guestId, otherGuest]) {
    const toggle = `/api/auth/guest/prefill/toggle/${sessionId}?service=beta`
    await write('POST', toggle, { enabled: round % 2 === 0 })
    await write('PUT', `/api/user-preferences/session/${sessionId}`, { refreshRate: 'ULTRA' })
  }
  await write('POST', '/api/auth/guest/config/lock', { isLocked: true })
  await write('POST', '/api/auth/guest/config/lock', { isLocked: false })
  const now = Math.floor(Date.now() / 1000)
  const event = { name: `Round ${round}`, startTime: now, endTime: now + 60 }
  await write('DELETE', `/api/events/${await create('/api/events', event)}`)
  const group = { nickname: `Group ${round}`, initialIps: [`10.8.0.${round}`] }
  await write('DELETE', `/api/client-groups/${await create('/api/client-groups', group)}`)
  await write('PATCH', `/api/sessions/${visit.sessionId}/revoke`)
  await write('PUT', `/api/accounts/${id}/disabled`, { disabled: true })
  await write('DELETE', `/api/accounts/${id}`)
}

test('receives only public events and its own on the live channel', async () => {
  const other = withheld.get('session of another guest') ?? ''
  const heard = await listen(larder.url, guest)
  const account = await listen(larder.url, owner)
  const names = (frames: { event: string }[]) => new Set(frames.map(({ event }) => event))
  const lively = ['DownloadSpeedUpdate', 'DownloadsRefresh', 'EventCreated', 'GuestModeLockChanged']
  for (let round = 0; round < rounds; round++) await administrate(round, other)
  // Sent on a schedule, after the last of the others.
  await eventually(() => lively.every((name) => names(heard.frames).has(name)), 'all are received')
  for (const { event, data } of heard.frames) {
    const reach = events.get(event)?.reach
    const isOwn = reach === 'session' && (data as { sessionId?: string }).sessionId === guestId
    expect([event, isOwn ? 'own' : reach]).toEqual([event, isOwn ? 'own' : 'everyone'])
    expect([event, met(JSON.stringify(data))]).toEqual([event, []])
    if (event !== 'ActivityUpdated') continue
    const { activities } = data as { activities: { domain: string }[] }
    expect(activities.filter(({ domain }) => domain !== 'download')).toEqual([])
  }
  const own = ['GuestPrefillPermissionChanged', 'UserPreferencesUpdated']
  expect([...names(heard.frames)]).toEqual(expect.arrayContaining([...lively, ...own]))
  const others = ['UserSessionCreated', 'OperationUpdated', 'ClientGroupCreated']
  expect([...names(account.frames)]).toEqual(expect.arrayContaining(others))
  // Withheld values were sent to others.
  const received = met(JSON.stringify(account.frames))
  expect(received).toEqual(
    expect.arrayContaining(['session of another guest', 'session of helper-0']),
  )
  heard.socket.close()
  account.socket.close()
})
