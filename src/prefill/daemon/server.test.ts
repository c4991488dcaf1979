import { expect, test } from 'bun:test'
import { eventually } from '../../../test/support/eventually.ts'
import { practiceGame, practiceOrigin } from '../../../test/support/practice-origin.ts'
import { testDaemon } from '../../../test/support/test-daemon.ts'
import { testServer } from '../../../test/support/test-server.ts'
import { seededRandom } from '../../demo/random.ts'
import { commands } from '../protocol/commands.ts'
import { encodeFrame } from '../protocol/frames.ts'

const origin = practiceOrigin({ games: [practiceGame('a')] })
const start = () =>
  testDaemon({ cachePort: origin.port, environment: { PREFILL_PRACTICE_ORIGIN: origin.url } })

/** Values that no command expects. */
const oddities = [
  'null',
  '-1',
  '1e999',
  '"\\u0000"',
  '[]',
  '{}',
  '"[[[["',
  '"[null]"',
  '"{\\"appId\\":{}}"',
  '18446744073709551616',
  `"${'9'.repeat(400)}"`,
]
const names = ['appIds', 'products', 'productIds', 'cachedDepots', 'os', 'top', 'maxConcurrency']
const more = ['challengeId', 'clientPublicKey', 'encryptedCredential', 'nonce', 'tag', '__proto__']

test('odd parameters of every command are answered', async () => {
  const { client } = await start()
  const random = seededRandom(3)
  let sent = 0
  for (const type of commands) {
    for (const oddity of oddities) {
      const given = [...names, ...more].filter(() => random.between(0, 1) === 0)
      const parameters = given.map((name) => `${JSON.stringify(name)}:${oddity}`).join(',')
      const text = `{"id":"odd-${sent++}","type":"${type}","parameters":{${parameters}}}`
      client.socket.write(encodeFrame(text))
      await eventually(
        () => client.responses.some(({ id }) => id === `odd-${sent - 1}`),
        `an answer to ${text}`,
      )
    }
  }
  expect(client.isClosed()).toBe(false)
})

test('a thousand damaged frames close connections, never the daemon', async () => {
  const { client, connect } = await start()
  const random = seededRandom(5)
  const good = encodeFrame('{"id":"1","type":"get-cache-info","parameters":{"appIds":"[1]"}}')
  for (let round = 0; round < 50; round++) {
    const victim = await connect()
    for (let frames = 0; frames < 20; frames++) {
      const frame = Buffer.from(good)
      for (let left = random.between(0, 4); left > 0; left--) {
        frame[random.between(0, frame.length - 1)] = random.between(0, 255)
      }
      victim.socket.write(frame)
    }
    victim.close()
  }
  expect((await client.ask('status')).success).toBe(true)
})

test('more open commands than allowed are refused, not queued', async () => {
  const held = Promise.withResolvers<void>()
  const listing = testServer(() => held.promise.then(() => Response.json(origin.state)))
  const slow = await testDaemon({
    cachePort: origin.port,
    environment: { PREFILL_PRACTICE_ORIGIN: listing.url },
  })
  const asked = Array.from({ length: 70 }, () => slow.client.ask('get-owned-games'))
  await eventually(() => slow.client.responses.length >= 6, 'the refusals')
  expect(slow.client.responses.map(({ error }) => error)).toEqual(
    Array.from({ length: 6 }, () => 'Too many open commands'),
  )
  held.resolve()
  expect((await Promise.all(asked)).filter(({ success }) => success)).toHaveLength(64)
})

test('a client that does not read is cut off', async () => {
  const games = Array.from({ length: 20_000 }, (_, index) =>
    practiceGame(`${index}`, { objects: 0 }),
  )
  const large = practiceOrigin({ games })
  const { client, connect } = await testDaemon({
    cachePort: large.port,
    environment: { PREFILL_PRACTICE_ORIGIN: large.url },
  })
  client.socket.pause()
  for (let id = 0; id < 60; id++) {
    client.socket.write(encodeFrame(`{"id":"${id}","type":"get-owned-games"}`))
  }
  const other = await connect()
  await eventually(async () => {
    client.socket.write(encodeFrame('{"id":"x","type":"get-owned-games"}'))
    expect((await other.ask('status')).success).toBe(true)
    client.socket.resume()
    client.socket.pause()
    return client.isClosed() || client.socket.destroyed
  }, 'the connection is closed')
}, 60_000)
