import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readCredentials } from '../../db/history/credentials.ts'
import { installationKey } from '../../src/demo/visitor.ts'
import { Caller, listen } from './caller.ts'
import { DebianPostgres } from './debian-postgres.ts'
import { Larder } from './larder.ts'
import { countIn, filesBelow, findIn, openToOthers, type Secrets } from './secret-search.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { freePort } from './free-port.ts'

const root = tempFolder('secrets')
const logPath = join(root, 'logs')
mkdirSync(logPath)
writeFileSync(join(logPath, 'access.log'), '')

/** Each has characters that are escaped differently in JSON, SQL and URLs. */
const password = (what: string) => `Sécret "${what}" 'of' 42 %`

async function start(name: string, environment: Record<string, string> = {}): Promise<Larder> {
  return Larder.start({
    dataPath: join(root, name),
    cachePath: join(root, 'cache'),
    sources: [{ name: 'default', logPath }],
    environment: {
      LOG_LEVEL: 'trace',
      Alpha__WebApiBaseUrl: `http://127.0.0.1:${await freePort()}`,
      ...environment,
    },
  })
}

const notOfPostgres = (folder: string) =>
  filesBelow(folder).filter((path) => !relative(folder, path).startsWith('postgres/'))

/** Files that only the service may open, including journals and copies. */
const guarded = (folder: string) =>
  filesBelow(folder).filter((path) =>
    /^(security\/|config\/|state\.sqlite)/.test(relative(folder, path)),
  )

/** Bodies that are refused before their members are read. */
async function sendMalformed(caller: Caller, path: string, secret: string): Promise<number[]> {
  const json = { 'content-type': 'application/json' }
  const quoted = JSON.stringify(secret)
  const query = encodeURIComponent(secret)
  const calls = [
    { raw: `{"apiKey":${quoted},"password":${quoted},`, headers: json },
    { raw: `{"username":{"password":${quoted}},"password":[${quoted}]}`, headers: json },
    { raw: quoted, headers: json },
    { raw: `password=${query}`, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    { raw: secret, headers: { 'content-type': 'text/plain' } },
  ]
  const statuses: number[] = []
  for (const call of calls) {
    // Five a minute per address.
    const fresh = new Caller(caller.url)
    await fresh.status('GET', `/api/auth/status?password=${query}`)
    statuses.push(await fresh.status('POST', `${path}?password=${query}`, call))
  }
  return statuses
}

describe('a private history', () => {
  const secrets: Secrets = new Map()
  const keep = (what: string, secret = password(what)): string => {
    secrets.set(what, secret)
    return secret
  }
  const callers: Caller[] = []
  const enter = (larder: Larder): Caller => {
    const caller = new Caller(larder.url)
    callers.push(caller)
    return caller
  }
  const name = 'boss'
  let larder: Larder

  test('handles every feature that uses secrets', async () => {
    larder = await start('private')
    const firstKey = keep('first key', installationKey(larder.dataPath))
    const owner = enter(larder)
    const body = { apiKey: firstKey, username: name, password: keep('owner') }
    const setup = '/api/account-setup/first-admin'
    expect(await sendMalformed(owner, setup, keep('malformed set-up'))).not.toContain(200)
    const weak = { ...body, password: keep('weak', 'onlysmallletters-secret') }
    expect(await owner.status('POST', setup, { body: weak })).toBe(400)
    const wrongKey = { ...body, apiKey: keep('wrong key') }
    expect(await owner.status('POST', setup, { body: wrongKey })).toBe(401)
    expect(await owner.status('POST', setup, { body })).toBe(200)

    expect(await sendMalformed(owner, '/api/auth/login', keep('malformed'))).not.toContain(200)
    const account = { username: name, password: body.password }
    const wrong = { username: name, password: keep('mistyped') }
    expect(await enter(larder).signIn(firstKey, wrong)).toBe(401)
    expect(await enter(larder).signIn(keep('other key'), account)).toBe(401)
    // Users do type a password into the name field by mistake.
    const swapped = { username: keep('as a name'), password: name }
    expect(await enter(larder).signIn(firstKey, swapped)).toBe(401)
    expect(await owner.signIn(firstKey, account)).toBe(200)
    expect(await owner.status('PATCH', '/api/system/setup', { body: { completed: true } })).toBe(
      200,
    )

    owner.move()
    const change = (currentPassword: string, newPassword: string) =>
      owner.status('POST', '/api/auth/password', { body: { currentPassword, newPassword } })
    expect(await change(keep('wrong current'), keep('never set'))).toBe(401)
    expect(await change(body.password, keep('owner changed'))).toBe(200)
    await owner.status('GET', '/api/auth/status')

    const anna = { username: 'anna', password: keep('anna'), role: 'user' }
    const made = await owner.call('POST', '/api/accounts', { body: anna })
    const { id } = (await made.json()) as { id: string }
    const renamed = { username: 'anna', password: keep('anna again') }
    expect(await owner.status('PUT', `/api/accounts/${id}`, { body: renamed })).toBe(200)
    const annas = enter(larder)
    expect(await annas.signIn(firstKey, renamed)).toBe(200)
    const guest = enter(larder)
    await guest.status('GET', '/api/auth/status')
    expect(await guest.status('POST', '/api/auth/guest')).toBe(200)

    const form = new FormData()
    form.set('file', new File(['[meta]\nname = "Mine"\nid = "mine"\n'], 'mine.toml'))
    expect([200, 400]).toContain(await owner.status('POST', '/api/themes/upload', { raw: form }))

    const webKey = keep('web key', '0123456789ABCDEF0123456789abcdef')
    const keyBody = { apiKey: webKey }
    expect(await owner.status('POST', '/api/alpha-api-keys/test', { body: keyBody })).toBe(200)
    expect(await owner.status('POST', '/api/alpha-api-keys', { body: keyBody })).toBe(503)
    const steam = { username: 'gordon', password: keep('Steam'), twoFactorCode: 'AB3DE' }
    expect(await owner.status('POST', '/api/alpha-auth/login', { body: steam })).not.toBe(200)

    for (const one of [owner, annas, guest]) {
      const { socket, frames } = await listen(larder.url, one)
      socket.send(JSON.stringify({ password: keep('in a frame') }))
      socket.send(`{"password": ${keep('in a broken frame')}`)
      await eventually(() => frames.some(({ event }) => event === 'Welcome'), 'welcome')
      socket.close()
    }
  })

  test('changes the keys and passwords of the installation', async () => {
    await eventually(() => larder.output.includes('history ready'), 'the history is there')
    const [owner = enter(larder)] = callers
    keep('made for the database', readCredentials(larder.dataPath)?.password)
    const firstKey = secrets.get('first key') ?? ''
    const script = enter(larder)
    const headers = { 'X-Api-Key': firstKey }
    const external = { host: 'db.lan', password: keep('external') }
    expect(await script.status('POST', '/api/Setup/external', { headers, body: external })).toBe(
      400,
    )
    const bearer = { Authorization: `Bearer ${keep('wrong bearer', 'wrong-bearer-secret')}` }
    const database = { password: `Data "base" 'role' 42` }
    expect(
      await script.status('POST', '/api/Setup/credentials', { headers: bearer, body: database }),
    ).toBe(403)
    expect(await script.status('POST', '/api/Setup/credentials', { headers, body: database })).toBe(
      200,
    )
    keep('database', database.password)

    owner.move()
    const regenerated = await owner.call('POST', '/api/api-keys/regenerate')
    expect(regenerated.status).toBe(200)
    const { apiKey } = (await regenerated.json()) as { apiKey: string }
    keep('second key', apiKey)
    const recovery = enter(larder)
    const open = '/api/account-setup/open-main-admin-recovery'
    expect(await recovery.status('POST', open, { body: { apiKey: firstKey } })).toBe(401)
    expect(await recovery.status('POST', open, { body: { apiKey } })).toBe(200)
    const fresh = { username: name, password: keep('recovered') }
    const recover = '/api/account-setup/recover-main-admin'
    const body = { apiKey, ...fresh }
    expect(await recovery.status('POST', recover, { body })).toBe(200)
    expect(await enter(larder).signIn(apiKey, fresh)).toBe(200)
    for (const caller of callers) {
      for (const value of caller.cookieValues) secrets.set(`cookie ${secrets.size}`, value)
    }
    expect(secrets.size).toBeGreaterThan(30)
  })

  test('logs the installation key twice, and no other secret', () => {
    expect(countIn(larder.output, secrets)).toEqual({ 'first key': 1, 'second key': 1 })
    // The search would find it in a log entry, in a URL and in a statement.
    const owner = secrets.get('owner') ?? ''
    for (const text of [JSON.stringify({ owner }), encodeURIComponent(owner)]) {
      expect(countIn(text, secrets)).toEqual({ owner: 1 })
    }
  })

  test('keeps its secrets in two files, closed to others', async () => {
    const expected = {
      'security/api_key.txt': ['second key'],
      'config/postgres-credentials.json': ['database'],
    }
    const { dataPath } = larder
    expect(findIn(dataPath, notOfPostgres(dataPath), secrets)).toEqual(expected)
    expect(openToOthers(dataPath, guarded(dataPath))).toEqual([])
    expect(guarded(dataPath)).toContain(join(dataPath, 'state.sqlite'))
    expect(await larder.stop()).toBe(0)
    expect(findIn(dataPath, filesBelow(dataPath), secrets)).toEqual(expected)
    expect(openToOthers(dataPath, guarded(dataPath))).toEqual([])
  })

  test('logs no secret after a restart', async () => {
    larder = await start('private')
    await eventually(() => larder.output.includes('history ready'), 'the history is there')
    expect(countIn(larder.output, secrets)).toEqual({})
    expect(await larder.stop()).toBe(0)
  })
})

describe('an external history', () => {
  test('keeps its password in one file and in no log, even when it is wrong', async () => {
    const server = await DebianPostgres.create()
    const larder = await start('external', { POSTGRES_MODE: 'external' })
    const key = installationKey(larder.dataPath)
    const secrets: Secrets = new Map([
      ['key', key],
      ['database', server.password],
      ['wrong', password('wrong')],
    ])
    const connect = (guess: string, port = server.port) =>
      new Caller(larder.url).status('POST', '/api/Setup/external', {
        headers: { 'X-Api-Key': key },
        body: { host: '127.0.0.1', port, database: 'larder', username: 'larder', password: guess },
      })
    expect(await connect(password('wrong'))).toBe(400)
    expect(await connect(server.password, await freePort())).toBe(400)
    expect(await connect(server.password)).toBe(200)
    await eventually(() => larder.output.includes('history ready'), 'the history is there')
    const { length } = larder.output
    server.stop()
    const isAway = () => larder.output.slice(length).includes('history unavailable')
    await eventually(isAway, 'the server is away')
    expect(countIn(larder.output, secrets)).toEqual({ key: 1 })
    expect(await larder.stop()).toBe(0)
    const { dataPath } = larder
    expect(findIn(dataPath, filesBelow(dataPath), secrets)).toEqual({
      'security/api_key.txt': ['key'],
      'config/postgres-credentials.json': ['database'],
    })
    expect(openToOthers(dataPath, guarded(dataPath))).toEqual([])
    expect(countIn(larder.output, secrets)).toEqual({ key: 1 })
  })
})
