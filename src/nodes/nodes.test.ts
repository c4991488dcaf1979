import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Static } from '@sinclair/typebox'
import { testApp } from '../../test/support/app.ts'
import { eventually } from '../../test/support/eventually.ts'
import { ManualTime } from '../../test/support/manual-time.ts'
import { quietLog } from '../../test/support/quiet-log.ts'
import { signInOwner } from '../../test/support/sign-in.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { Channel } from '../core/lib/channel.ts'
import { systemTimers } from '../core/lib/timers.ts'
import { connectNode, NotJoined } from './client.ts'
import { socketPath, type NodeConnection } from './contract.ts'
import { greetService, protocolVersion, type Side } from './handshake.ts'
import { keyPairFrom } from './identity.ts'
import { nodesMax, tokenMs, unprovenLimits } from './limits.ts'
import type { NodeInvitation, NodeList } from './model.ts'

const path = '/api/ext/nodes'
type Invitation = Static<typeof NodeInvitation>

const time = new ManualTime('2026-11-26T12:00:00.000Z')
let app = await testApp({ clock: time })
let host = app.listen()
let owner = await signInOwner(app)
const running: NodeConnection[] = []

async function restart(port: number): Promise<void> {
  const { dataPath } = app.config
  await app.stop()
  app = await testApp({ clock: time, environment: { DATA_PATH: dataPath } })
  host = app.listen(port)
}

beforeEach(async () => {
  for (const node of running.splice(0)) node.stop()
  for (const { id } of app.nodes.list()) app.groups.nodes.nodes.remove(id)
  await time.advance(60_000)
})
afterAll(() => running.forEach((node) => node.stop()))

/** The body, in the form that the test expects. */
const read = async <T>(answer: Response): Promise<T> => JSON.parse(await answer.text())

async function invite(name = 'nas'): Promise<Invitation> {
  const answer = await owner.post(path, { name })
  expect(answer.status).toBe(201)
  return read(answer)
}

const listed = async () => (await read<Static<typeof NodeList>>(await owner.get(path))).items

interface Started {
  dataPath: string
  connection: NodeConnection
  channels: Channel[]
  received: unknown[]
  ends: string[]
}

function start(token: string | null, dataPath = tempFolder('node')): Started {
  const started: Omit<Started, 'connection'> = { dataPath, channels: [], received: [], ends: [] }
  const connection = connectNode({
    dataPath,
    serviceUrl: `http://${host}/`,
    token,
    log: quietLog,
    onConnect(_node, channel) {
      started.channels.push(channel)
      channel.onMessage = (message) => void started.received.push(message)
      channel.onClose = (reason) => void started.ends.push(reason)
    },
  })
  running.push(connection)
  return { ...started, connection }
}

/** The node of a data folder with another version of the protocol; resolves to why it failed. */
async function connectWith(dataPath: string, protocol: number): Promise<string[]> {
  const text = readFileSync(join(dataPath, 'security', 'node.json'), 'utf8')
  const { privateKey, service } = JSON.parse(text)
  const problems: string[] = []
  const connected = Promise.withResolvers<void>()
  const sides: Side[] = []
  const wireTo = (other: number) => ({
    send: (frame: Uint8Array) => {
      queueMicrotask(() => sides[other]?.receive(frame))
      return true
    },
    bufferedBytes: () => 0,
    close() {},
  })
  sides[0] = app.groups.nodes.nodes.accept(wireTo(1), null, connected.resolve)
  sides[1] = greetService({
    wire: wireTo(0),
    timers: systemTimers,
    log: quietLog,
    keys: keyPairFrom(privateKey),
    servicePublicKey: service,
    token: null,
    protocol,
    connected: () => connected.resolve(),
    failed(reason) {
      problems.push(reason)
      connected.resolve()
    },
  })
  await connected.promise
  return problems
}

const stateOf = (id: string) => app.nodes.list().find((node) => node.id === id)?.state
const untilState = (id: string, state: string) =>
  eventually(() => stateOf(id) === state, `${id} is ${state}, not ${stateOf(id)}`)
const untilProblem = ({ connection }: Started, part: string) =>
  eventually(() => connection.problem()?.includes(part) === true, `the problem is ${part}`)

async function joined(name = 'nas') {
  const invitation = await invite(name)
  const node = start(invitation.token)
  await eventually(() => node.channels.length > 0, 'the node is connected')
  return { ...node, ...invitation }
}

describe('joining', () => {
  test('pins keys on both sides, stores no token, and is in the audit trail', async () => {
    const { id, token, dataPath } = await joined()
    expect(await listed()).toMatchObject([
      { id, name: 'nas', state: 'connected', address: '127.0.0.1', tokenExpiresAtUtc: null },
    ])
    const file = join(dataPath, 'security', 'node.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).not.toContain(token)
    const stored = JSON.stringify(app.state.sqlite.query('SELECT * FROM node').all())
    expect(stored).not.toContain(token)
    expect(app.logLines.join('\n')).not.toContain(token)
    expect(statSync(join(app.config.dataPath, 'security', 'nodes.key')).mode & 0o777).toBe(0o600)
    const { entries } = await read<{ entries: unknown }>(await owner.get('/api/ext/audit?limit=2'))
    expect(entries).toMatchObject([
      { event: 'NodeJoined', address: '127.0.0.1' },
      { event: 'NodeInvited', actorName: 'owner' },
    ])
  })

  test('works once with a token', async () => {
    const { id, token, channels } = await joined()
    const second = start(token)
    await untilProblem(second, 'The token was used')
    expect(stateOf(id)).toBe('connected')
    expect(channels).toHaveLength(1)
  })

  test.each([
    ['expired', async () => (await invite()).token, tokenMs],
    ['is guessed', async () => (await invite()).token.slice(0, -32) + 'x'.repeat(32), 0],
    [
      'was replaced',
      async () => {
        const { id, token } = await invite()
        expect((await owner.post(`${path}/${id}/token`)).status).toBe(201)
        return token
      },
      0,
    ],
  ])('is refused when the token %s', async (_, make, waitMs) => {
    const token = await make()
    await time.advance(waitMs)
    await untilProblem(start(token), 'The token was used')
    expect(await listed()).toMatchObject([{ state: 'invited' }])
  })

  test('needs a whole token, or an identity', () => {
    expect(() => start('larder_n_short')).toThrow(NotJoined)
    expect(() => start(null)).toThrow('has not joined yet')
  })

  test('is not tried with a service of another key', async () => {
    const { token } = await invite()
    const other = `larder_n_${'A'.repeat(43)}${token.slice(-32)}`
    await untilProblem(start(other), 'another service')
    expect(await listed()).toMatchObject([{ state: 'invited' }])
  })

  test('again with another token lets a node of lost keys in, and its old key no more', async () => {
    const lost = await joined()
    const again = await read<Invitation>(await owner.post(`${path}/${lost.id}/token`))
    const fresh = start(again.token)
    await eventually(() => fresh.channels.length > 0, 'the new keys are connected')
    await untilProblem(lost, 'does not know this node')
    expect(await listed()).toHaveLength(1)
  })

  test('as another node takes the key with it', async () => {
    const first = await joined('old')
    const { id, token } = await invite('new')
    first.connection.stop()
    start(token, first.dataPath)
    await untilState(id, 'connected')
    expect(stateOf(first.id)).toBe('revoked')
  })

  test('is completed although its answer was lost', async () => {
    const node = await joined()
    node.connection.stop()
    await untilState(node.id, 'away')
    const file = join(node.dataPath, 'security', 'node.json')
    const stored = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...stored, usedToken: null }))
    start(node.token, node.dataPath)
    await untilState(node.id, 'connected')
  })
})

describe('a connected node', () => {
  test('exchanges messages of all sizes with the service, in order', async () => {
    const received: unknown[] = []
    app.nodes.onConnect((_node, channel) => {
      channel.onMessage = (message) => {
        received.push(message)
        channel.send({ echo: message })
      }
    })
    const { channels, received: arrived } = await joined()
    const sent = [1, 70_000, 8 * 1024 * 1024 + 300, 3].map((size, n) => ({
      n: BigInt(n),
      bytes: new Uint8Array(size).fill(n),
    }))
    for (const message of sent) channels[0]?.send(message)
    await eventually(() => arrived.length > sent.length, 'all are echoed')
    expect(received).toEqual(sent)
    // The service itself greets a node first.
    expect(arrived.slice(1)).toEqual(sent.map((echo) => ({ echo })))
  })

  test.each([
    ['revoked', 'revoke', 'post'],
    ['removed', '', 'delete'],
  ] as const)('that is %s is disconnected at once and stays out', async (word, action, method) => {
    const node = await joined()
    await invite('another')
    const answer = await owner[method](`${path}/${node.id}${action && `/${action}`}`)
    expect(answer.status).toBe(200)
    await eventually(() => node.ends.length > 0, 'its connection is closed')
    expect(node.ends).toEqual([`The node was ${word}`])
    await untilProblem(node, word === 'revoked' ? 'was revoked' : 'does not know')
    expect(node.channels).toHaveLength(1)
    expect((await listed()).map(({ state }) => state)).toEqual(
      word === 'revoked' ? ['revoked', 'invited'] : ['invited'],
    )
  })

  test('reconnects after the service restarted, which knows since when it was away', async () => {
    const node = await joined()
    const port = Number(host.split(':')[1])
    await time.advance(5000)
    await restart(port)
    await eventually(() => node.channels.length === 2, 'it is connected again')
    expect(node.ends).toEqual(['the service stops'])
    expect(stateOf(node.id)).toBe('connected')
    owner = await signInOwner(app)
  })

  test('keeps one connection: a newer one ends the older', async () => {
    const node = await joined()
    const copy = start(null, node.dataPath)
    await eventually(() => copy.channels.length > 0, 'the copy is connected')
    await eventually(() => node.ends.length > 0, 'the first is closed')
    expect(stateOf(node.id)).toBe('connected')
    copy.connection.stop()
  })

  test('is away from the moment at which it stops', async () => {
    const node = await joined()
    await time.advance(7000)
    node.connection.stop()
    await untilState(node.id, 'away')
    const sinceUtc = time.now().toISOString()
    expect(await listed()).toMatchObject([{ state: 'away', sinceUtc }])
  })

  test('of a version too far away is refused, which both sides say', async () => {
    const { id, dataPath, connection } = await joined()
    connection.stop()
    await untilState(id, 'away')
    const problems = await connectWith(dataPath, protocolVersion + 2)
    expect(problems).toEqual([
      expect.stringMatching(/^The node is Larder .*, the service .*; update the service: `docker/),
    ])
    const sinceUtc = time.now().toISOString()
    await time.advance(1000)
    await connectWith(dataPath, protocolVersion + 2)
    const refusal = 'serviceTooOld'
    expect(await listed()).toMatchObject([{ state: 'refused', refusal, sinceUtc }])
    expect(await connectWith(dataPath, protocolVersion + 1)).toEqual([])
    expect(await listed()).toMatchObject([{ state: 'connected', refusal: null }])
  })
})

describe('the list', () => {
  test('changes names, which are unique', async () => {
    const { id } = await invite('nas')
    await invite('attic')
    const rename = (name: string) => owner.patch(`${path}/${id}`, { name })
    expect((await rename('Attic')).status).toBe(409)
    expect((await rename(' NAS ')).status).toBe(200)
    expect((await rename('')).status).toBe(400)
    expect((await listed()).map(({ name }) => name)).toEqual(['NAS', 'attic'])
    expect((await owner.post(path, { name: 'nas' })).status).toBe(409)
  })

  test(`has ${nodesMax} nodes at most`, async () => {
    for (let n = 0; n < nodesMax; n++) app.groups.nodes.nodes.invite(`node ${n}`)
    expect((await owner.post(path, { name: 'one more' })).status).toBe(409)
  })
})

describe('the socket', () => {
  const connect = () => new WebSocket(`ws://${host}${socketPath}`)
  const closed = (socket: WebSocket) =>
    new Promise<void>((resolve) => socket.addEventListener('close', () => resolve()))
  const opened = (socket: WebSocket) =>
    new Promise<void>((resolve) => socket.addEventListener('open', () => resolve()))

  test('does not exist without nodes', async () => {
    const headers = { Upgrade: 'websocket', Connection: 'Upgrade' }
    const answer = await fetch(`http://${host}${socketPath}`, { headers })
    expect(answer.status).toBe(404)
  })

  test('answers no stranger, and goes on serving nodes', async () => {
    const node = await joined()
    for (const data of ['text', '{}', new Uint8Array(0), Buffer.alloc(15_000), '{"key":"x"}']) {
      const socket = connect()
      const answers: unknown[] = []
      socket.addEventListener('message', ({ data: answer }) => answers.push(answer))
      await opened(socket)
      socket.send(data)
      await closed(socket)
      expect(answers).toEqual([])
    }
    expect(node.ends).toEqual([])
    expect(stateOf(node.id)).toBe('connected')
  })

  test('has few places for those who prove nothing, which they give back', async () => {
    const node = await joined()
    const silent: WebSocket[] = []
    const opens = async () => {
      // Connections of this loop are not too many for a minute.
      await time.advance(2000)
      const next = connect()
      const isOpen = await Promise.race([
        opened(next).then(() => true),
        closed(next).then(() => false),
      ])
      if (isOpen) silent.push(next)
      return isOpen
    }
    while (silent.length < unprovenLimits.perAddress) await eventually(opens, 'a place is free')
    expect(await opens()).toBe(false)
    silent[0]?.close()
    await eventually(opens, 'the place is free again')
    for (const socket of silent) socket.close()
    expect(node.ends).toEqual([])
  })

  test('logs few of the strangers that it refuses', async () => {
    const { id, dataPath, connection } = await joined()
    connection.stop()
    app.groups.nodes.nodes.remove(id)
    for (let n = 0; n < 25; n++) {
      expect(await connectWith(dataPath, protocolVersion)).toHaveLength(1)
    }
    const lines = app.logLines.filter((line) => line.includes('a node was refused'))
    expect(lines).toHaveLength(20)
  })

  test('limits how often an address may try', async () => {
    await invite()
    const headers = { Upgrade: 'websocket', Connection: 'Upgrade' }
    const statuses: number[] = []
    for (let n = 0; n <= unprovenLimits.perMinute; n++) {
      statuses.push((await fetch(`http://${host}${socketPath}`, { headers })).status)
    }
    expect(statuses.at(0)).not.toBe(429)
    expect(statuses.at(-1)).toBe(429)
  })
})
