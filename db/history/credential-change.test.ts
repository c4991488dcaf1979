import { beforeAll, describe, expect, test } from 'bun:test'
import { freshDatabase, testServer } from '../../test/support/postgres.ts'
import { probeServer, setOwnPassword } from './credential-change.ts'
import { HistoryFault } from './failures.ts'
import { failureOf } from '../../test/support/answers.ts'

const target = await freshDatabase()

describe('probing a server', () => {
  test('reports success', async () => {
    expect(await failureOf(probeServer(target))).toBeNull()
  })

  test('gives up on a server that accepts and then never answers', async () => {
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

  test('reports a refusal without the password', async () => {
    const password = 'Not-The-Password-1'
    const failure = await failureOf(probeServer({ ...target, password }))
    expect(failure).toBeInstanceOf(HistoryFault)
    expect(Bun.inspect(failure)).not.toContain(password)
  })
})

describe('setting its own password', () => {
  const user = 'Odd "name"'
  beforeAll(async () => {
    const { admin } = await testServer()
    await admin.unsafe(`create role "Odd ""name""" login password 'First-Password-1'`)
    await admin.unsafe(`alter database "${target.database}" owner to "Odd ""name"""`)
  })

  test('works without superuser, and quotes cannot break out', async () => {
    const before = { ...target, user, password: 'First-Password-1' }
    const after = { ...before, password: `it's $1 "quoted" \u00fc` }
    await setOwnPassword(before, after.password)
    expect(await failureOf(probeServer(after))).toBeNull()
    expect(String(await failureOf(probeServer(before)))).toContain('refused the user')
  })

  test('a failure never shows the password', async () => {
    const away = { ...target, host: '127.0.0.1', port: 1 }
    const failure = await failureOf(setOwnPassword(away, 'Never-Shown-1'))
    expect(failure).toBeInstanceOf(HistoryFault)
    expect(Bun.inspect(failure)).not.toContain('Never-Shown-1')
  })
})
