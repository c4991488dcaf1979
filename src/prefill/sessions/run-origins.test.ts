import { sql } from 'drizzle-orm'
import { beforeEach, expect, test } from 'bun:test'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { daemonStandIn, type DaemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { idleEngine } from '../../../test/support/report-app.ts'
import { signInOwner, type Browser } from '../../../test/support/sign-in.ts'
import type { LogEngine } from '../../engines/logs/contract.ts'
import type { DaemonSession } from './model.ts'

type Runs = Parameters<LogEngine['setPrefillRuns']>[0]
type OnAddress = Parameters<LogEngine['onPrefillAddress']>[0]

let app: TestApp
let daemon: DaemonStandIn
let owner: Browser
let id: string
/** What the log engine was given, the newest last. */
let given: Runs[]
let seen: OnAddress

beforeEach(async () => {
  given = []
  daemon = await daemonStandIn('gamma')
  const logs: LogEngine = {
    ...idleEngine().engine,
    setPrefillRuns: (runs) => void given.push(runs),
    onPrefillAddress: (listener) => void (seen = listener),
  }
  app = await testApp({ environment: daemon.environment, logs })
  owner = await signInOwner(app)
  const hub = await hubClient(app.listen(), owner, 'gamma')
  id = (await hub.call<DaemonSession>('CreateSessionAsync')).id
})

/** Starts a run; `answer` comes at its end. */
async function run() {
  const count = daemon.commands('prefill').length + 1
  const answer = owner.post(`/api/gamma-daemon/sessions/${id}/prefill`, { all: true })
  await eventually(() => daemon.commands('prefill').length === count, 'the run starts')
  return { answer }
}
const last = () => given.at(-1)?.[0]
const addressesOf = (addressesOf: () => Promise<string[]>) => {
  for (const { transport } of app.groups.prefill.sessions.all()) {
    Object.assign(transport, { addressesOf })
  }
}

test('the mark of a run is known even if its addresses are not; a heartbeat adds one', async () => {
  addressesOf(() => Promise.reject(new Error('away')))
  const { answer } = await run()
  expect(last()).toMatchObject({ platform: 'gamma', addresses: [], endedAt: null })
  const mark = last()?.mark ?? ''
  expect(mark).toHaveLength(11)
  const count = given.length
  seen({ mark: 'of nobody', address: '10.0.0.8' })
  expect(given).toHaveLength(count)
  seen({ mark, address: '10.0.0.9' })
  seen({ mark, address: '10.0.0.9' })
  expect(given).toHaveLength(count + 1)
  expect(last()).toMatchObject({ mark, addresses: ['10.0.0.9'] })
  daemon.progress({ state: 'completed' })
  await answer
  expect(last()).toMatchObject({ mark, endedAt: expect.any(Number) })
})

test('the oldest runs and further addresses are forgotten', async () => {
  app.state.db.run(sql`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 2100)
    insert into prefill_run (mark, session_id, platform, addresses, started_at, ended_at)
    select 'mark ' || i, 'an earlier one', 'gamma', '[]', i, i from n`)
  addressesOf(() => Promise.resolve(Array.from({ length: 100 }, (_, at) => `10.0.0.${at}`)))
  await run()
  await eventually(() => last()?.addresses.length === 64, 'the addresses are noted')
  expect(given.at(-1)).toHaveLength(2000)
  const [row] = app.state.db.all<{ count: number }>(sql`select count(*) as count from prefill_run`)
  expect(row?.count).toBeLessThanOrEqual(2001)
})

test('a store that refuses a run ends none: it begins, and its call is answered', async () => {
  app.state.db.run(sql`create trigger refuse before insert on prefill_run
    begin select raise(abort, 'no space'); end`)
  const { answer } = await run()
  app.state.db.run(sql`drop trigger refuse`)
  app.state.db.run(sql`insert into prefill_run (mark, session_id, platform, addresses, started_at)
    values ('open', 'an earlier one', 'gamma', '[]', 1)`)
  app.state.db.run(sql`create trigger refuse before update on prefill_run
    begin select raise(abort, 'no space'); end`)
  daemon.progress({ state: 'completed' })
  expect(await (await answer).json()).toMatchObject({ success: true })
  expect(app.logLines.join('')).toContain('where a prefill comes from was not stored')
})
