import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { freshDatabase, openTestClient } from '../../test/support/postgres.ts'
import { probeServer, setRolePassword } from './credential-change.ts'
import type { HistoryTarget } from './connect.ts'
import { HistoryFault } from './failures.ts'

// Real servers on a machine that may be busy.
setDefaultTimeout(30_000)

let target: HistoryTarget
beforeAll(async () => void (target = await freshDatabase()))

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

describe('probing a server', () => {
  test('one that works', async () => {
    expect(await failureOf(probeServer(target))).toBeNull()
  })

  test('one that accepts and then says nothing is given up', async () => {
    const silent = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data() {} },
    })
    const failure = await failureOf(
      probeServer({ ...target, host: '127.0.0.1', port: silent.port }, 1),
    )
    silent.stop(true)
    expect(failure).toBeInstanceOf(HistoryFault)
    expect(String(failure)).toContain('cannot be reached')
  })

  test('one that refuses is named without the password', async () => {
    const password = 'Not-The-Password-1'
    const failure = await failureOf(probeServer({ ...target, password }))
    expect(failure).toBeInstanceOf(HistoryFault)
    expect(Bun.inspect(failure)).not.toContain(password)
  })
})

describe('setting a password', () => {
  const role = { user: 'Odd "name"', password: `it's $1 "quoted" \u00fc` }
  afterAll(async () => {
    const sql = openTestClient(target)
    await sql.unsafe('drop role "Odd ""name"""')
    await sql.end()
  })

  test('makes the role, then changes it; quotes are no way out', async () => {
    for (const password of ['First-Password-1', role.password]) {
      await setRolePassword(target, { ...role, password })
      expect(await failureOf(probeServer({ ...target, ...role, password }))).toBeNull()
    }
    const old = { ...target, ...role, password: 'First-Password-1' }
    expect(String(await failureOf(probeServer(old)))).toContain('refused the user')
  })

  test('a failure never shows the password', async () => {
    const away = { ...target, host: '127.0.0.1', port: 1 }
    const failure = await failureOf(setRolePassword(away, role))
    expect(failure).toBeInstanceOf(HistoryFault)
    expect(Bun.inspect(failure)).not.toContain(role.password)
  })
})
