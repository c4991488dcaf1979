import { expect, test } from 'bun:test'
import { freshDatabase } from '../../test/support/postgres.ts'
import { findServer, serversOf } from './find-server.ts'

test('servers are names, addresses and sockets, each with or without a port', () => {
  const names = ['db', 'db.example', '10.0.0.1', '::1', 'fe80::1', '/var/run/postgresql']
  const host = names.map((name) => `${name}, ${name.includes('::') ? `[${name}]` : name}:6000`)
  expect(serversOf({ host: host.join(','), port: 5432 })).toEqual(
    names.flatMap((name) => [
      { host: name, port: 5432 },
      { host: name, port: 6000 },
    ]),
  )
})

test('of several servers, those that are away are passed over; of none, each has its sentence', async () => {
  const target = await freshDatabase()
  const { signal } = new AbortController()
  const away = '127.0.0.1:1,no-such-host.invalid'
  const some = { ...target, host: `${away},${target.host}` }
  expect(await findServer(some, signal)).toMatchObject({ host: target.host, port: target.port })
  const refusal = await findServer({ ...target, host: away }, signal).catch(String)
  expect(refusal).toContain(
    'Postgres at 127.0.0.1:1 does not accept connections: is it running?; ' +
      `The name of Postgres at no-such-host.invalid:${target.port} cannot be resolved`,
  )
})
