import { afterAll, beforeAll, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createHistory } from '../../db/history/create.ts'
import type { History, ReadLane } from '../../db/history/history.ts'
import { readConfig } from '../../src/core/config.ts'
import { cachelogLine } from '../../src/demo/log-formats.ts'
import { eventually } from '../support/eventually.ts'
import { openTestClient, untilState } from '../support/postgres.ts'
import { quietLog } from '../support/quiet-log.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { DebianPostgres } from './debian-postgres.ts'
import { Larder } from './larder.ts'

let primary: DebianPostgres
let replica: DebianPostgres
let history: History

const place = ({ port }: DebianPostgres) => `127.0.0.1:${port}`
const environment = () => ({
  POSTGRES_MODE: 'external',
  // The replica first: the order does not decide.
  POSTGRES_HOST: `${place(replica)},${place(primary)}`,
  POSTGRES_READ_HOST: place(replica),
  POSTGRES_PASSWORD: primary.password,
  POSTGRES_SCHEMA: 'site',
})

beforeAll(async () => {
  primary = await DebianPostgres.create()
  replica = await primary.replicate()
  history = createHistory(readConfig(environment()), quietLog)
  history.start()
  await untilState(history, 'ready')
})

afterAll(() => history.stop())

const isFromReplica = (lane?: ReadLane) =>
  history.read(async (_db, sql) => {
    const [row] = await sql<{ is: boolean }[]>`select pg_is_in_recovery() as is`
    return row?.is ?? false
  }, lane)

const eventNames = (lane?: ReadLane) =>
  history.read(async (_db, sql) => {
    const rows = await sql<{ name: string }[]>`select name from events order by id`
    return rows.map(({ name }) => name)
  }, lane)

const addEvent = (name: string, lane?: ReadLane) =>
  history.read(
    (_db, sql) => sql`
      insert into events (name, start_at, end_at, start_local, end_local, color_index, created_at)
      values (${name}, now(), now(), '', '', 0, now())`,
    lane,
  )

test('the primary is found among several servers, and reports are read from the replica', async () => {
  expect(history.connection().port).toBe(primary.port)
  await eventually(() => isFromReplica('reports'), 'reports are read from the replica')
  await eventually(() => isFromReplica('lists'), 'lists, too')
  expect(history.status().replica).toEqual({ state: 'used', message: null })
  expect(await isFromReplica()).toBe(false)
})

test('what was just written is in every report, even while the replica is late', async () => {
  const names = []
  for (let count = 0; count < 30; count++) {
    names.push(`LAN ${count}`)
    // A report that writes, as those of events do, is run by the primary.
    await addEvent(`LAN ${count}`, count % 2 === 0 ? 'reports' : undefined)
    expect(await eventNames('reports')).toEqual(names)
  }
  replica.execute('select pg_wal_replay_pause()')
  await addEvent('late')
  expect(await eventNames('reports')).toEqual([...names, 'late'])
  expect(await isFromReplica('reports')).toBe(false)
  expect(history.status().replica).toEqual({ state: 'late', message: null })
  replica.execute('select pg_wal_replay_resume()')
  await eventually(() => isFromReplica('reports'), 'the replica has caught up')
  expect(await eventNames('reports')).toEqual([...names, 'late'])
})

test('without the replica the primary answers, and the replica is used again when it is back', async () => {
  replica.stop()
  expect(await isFromReplica('reports')).toBe(false)
  expect(await isFromReplica('lists')).toBe(false)
  expect(history.status()).toMatchObject({
    state: 'ready',
    replica: { state: 'away', message: expect.any(String) },
  })
  replica.start()
  await eventually(() => isFromReplica('reports'), 'the replica is used again')
  expect(history.status().replica).toMatchObject({ state: 'used' })
})

const clients = 20
const lineBytes = 1000
let written = 0
function lines(count: number): string {
  const now = Math.floor(Date.now() / 1000) - 7200
  const text = Array.from({ length: count }, (_, at) =>
    cachelogLine({
      at: now + Math.floor((written + at) / 50),
      tag: 'steam',
      client: `192.168.9.${(written + at) % clients}`,
      forwardedFor: '-',
      method: 'GET',
      target: `/depot/${441 + Math.floor((written + at) / 2000)}/chunk/${written + at}`,
      status: 200,
      bytes: lineBytes,
      userAgent: 'Valve/Steam HTTP Client 1.0',
      cacheStatus: 'HIT',
      host: 'lancache.steamcontent.com',
      range: '-',
    }),
  )
  written += count
  return `${text.join('\n')}\n`
}

test('a primary that is killed during an import: the promoted replica has each download once', async () => {
  const root = tempFolder('failover')
  mkdirSync(join(root, 'logs'))
  mkdirSync(join(root, 'cache'))
  const log = join(root, 'logs', 'access.log')
  appendFileSync(log, lines(40_000))
  primary.commitWithReplica()
  const larder = await Larder.startIn(root, environment())
  const sumsAt = async (server: DebianPostgres) => {
    const { password, port } = server
    const target = { host: '127.0.0.1', port, database: 'larder', user: 'larder', password }
    const sql = openTestClient({ ...target, schema: 'site' })
    try {
      return await Promise.all(
        ['traffic', 'traffic_hour', 'traffic_day', 'downloads', 'client_day'].map(async (table) => {
          const [row] = await sql<{ requests: number; bytes: number }[]>`
            select coalesce(sum(requests), 0)::int as requests,
              coalesce(sum(hit_bytes + miss_bytes), 0)::float8 as bytes from ${sql(table)}`
          return { ...row }
        }),
      )
    } finally {
      await sql.end()
    }
  }
  await eventually(
    async () => ((await sumsAt(primary))[2]?.requests ?? 0) > 0,
    'a part of the log has been imported',
  )
  primary.kill()
  appendFileSync(log, lines(3000))
  await eventually(() => larder.output.includes('history unavailable'), 'the outage is noticed')
  replica.promote()
  const all = { requests: written, bytes: written * lineBytes }
  await eventually(
    async () => Bun.deepEquals((await sumsAt(replica))[2], all),
    'the rest of the log has been imported',
  )
  expect(await larder.stop()).toBe(0)
  expect(await sumsAt(replica)).toEqual([all, all, all, all, all])
})

test('a former primary that comes back is not taken for the primary', async () => {
  await history.stop()
  // Started like this it accepts writes that no one else gets. Its processes may still be ending.
  const starts = () => {
    try {
      primary.start()
      return true
    } catch {
      return false
    }
  }
  await eventually(starts, 'the former primary runs again')
  history = createHistory(readConfig(environment()), quietLog)
  history.start()
  await untilState(history, 'ready')
  expect(history.connection().port).toBe(replica.port)
})
