import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { mqttBroker } from '../../../test/support/mqtt-broker.ts'
import { reportApp, type ReportApp } from '../../../test/support/report-app.ts'
import type { Figures } from '../widgets/figures.ts'
import type { MqttView } from './model.ts'
import { discoveryOf } from './entities.ts'
import { createMqtt, type Mqtt } from './service.ts'

const path = '/api/ext/mqtt'
let app: ReportApp
let mqtt: Mqtt
let problems = 0
let leadsTo = '127.0.0.1'

beforeEach(async () => {
  app = await reportApp()
  problems = 0
  leadsTo = '127.0.0.1'
  const figures = { summary: () => Promise.resolve({ problems, hitPercent: 61.5 }) }
  mqtt = createMqtt({
    ...app.deps,
    // MQTT reads nothing else.
    figures: figures as unknown as Figures,
    reconnectMs: 20,
    resolve: () => Promise.resolve([leadsTo]),
  })
})
afterEach(() => mqtt.stop())

const body = (url: string, own: object = {}) => ({ isEnabled: true, url, prefix: 'larder', ...own })
const connected = () => eventually(() => mqtt.view().state === 'connected', 'it is connected')

test('is off by default, and the library is not loaded', async () => {
  mqtt.start()
  expect(mqtt.view()).toEqual({
    isEnabled: false,
    url: '',
    user: null,
    hasPassword: false,
    prefix: 'larder',
    state: 'off',
    error: null,
    lastPublishedAtUtc: null,
  })
  expect(await app.read(path, 'admin')).toEqual(mqtt.view())
  const program = `
    await import('${join(import.meta.dir, '../../service.ts')}')
    const loaded = Object.keys(require.cache).filter((path) => /node_modules.(mqtt|nodemailer)/.test(path))
    console.log(loaded.length)`
  const child = Bun.spawnSync([process.execPath, '-e', program])
  expect(child.stdout.toString().trim()).toBe('0')
})

describe('a broker', () => {
  test('gets entities, the state every half minute, and both again after a cut', async () => {
    const broker = await mqttBroker({ user: 'larder', password: 'secret_word' })
    await mqtt.set(body(broker.url, { user: 'larder', password: 'secret_word' }))
    await connected()
    await eventually(() => broker.topics.has('larder/state'), 'the state is published')
    expect(broker.topics.get('larder/status')).toBe('online')
    expect(JSON.parse(broker.topics.get('larder/state') ?? '')).toEqual({
      problems: 0,
      hitPercent: 61.5,
    })
    const configs = [...broker.topics.keys()].filter((topic) => topic.startsWith('homeassistant/'))
    expect(configs).toHaveLength(9)
    expect(
      configs.every((topic) => /^homeassistant\/\w+\/larder_[0-9a-f]{8}\/\w+\/config$/.test(topic)),
    ).toBe(true)
    problems = 2
    await app.time.advance(30_000)
    await eventually(
      () => broker.topics.get('larder/state')?.includes('"problems":2') === true,
      'the state is published again',
    )
    broker.topics.clear()
    broker.cut()
    await eventually(() => broker.topics.get('larder/status') === 'online', 'it is online again')
    await eventually(() => broker.topics.has('larder/state'), 'the state is published again')
    await eventually(() => mqtt.view().lastPublishedAtUtc !== null, 'the time is noted')
  })

  test('says offline by its last will, and when the service stops', async () => {
    const broker = await mqttBroker()
    const seen: string[] = []
    const set = broker.topics.set.bind(broker.topics)
    broker.topics.set = (topic, payload) => {
      if (topic === 'larder/status') seen.push(payload)
      return set(topic, payload)
    }
    await mqtt.set(body(broker.url))
    await eventually(() => seen.length === 1, 'it is online')
    broker.cut()
    await eventually(() => seen.length === 3, 'it was offline and is online')
    await mqtt.stop()
    await eventually(() => seen.length === 4, 'it is offline')
    expect(seen).toEqual(['online', 'offline', 'online', 'offline'])
    expect([...broker.topics.values()]).not.toContain('')
  })

  test('loses the entities when it is disabled', async () => {
    const broker = await mqttBroker()
    await mqtt.set(body(broker.url))
    await eventually(() => broker.topics.has('larder/state'), 'the state is published')
    expect((await mqtt.set(body(broker.url, { isEnabled: false }))).state).toBe('off')
    const configs = [...broker.topics].filter(([topic]) => topic.startsWith('homeassistant/'))
    expect(new Set(configs.map(([, payload]) => payload))).toEqual(new Set(['']))
    expect(broker.topics.get('larder/status')).toBe('offline')
  })

  test('is judged by its address at every connection', async () => {
    const broker = await mqttBroker()
    await mqtt.set(body(broker.url.replace('127.0.0.1', 'broker.test')))
    await connected()
    leadsTo = '64:ff9b::a9fe:a9fe'
    broker.cut()
    // The cut itself may be noted first, as a reset.
    const reason = 'broker.test leads to an address that is not allowed'
    await eventually(() => mqtt.view().error === reason, 'the reason is known')
    expect(broker.clientCount()).toBe(0)
  })

  test('that is away is named, and used as soon as it is there', async () => {
    const first = await mqttBroker()
    await first.stop()
    await mqtt.set(body(first.url))
    await eventually(() => mqtt.view().error !== null, 'the reason is known')
    expect(mqtt.view().state).toBe('connecting')
    const second = await mqttBroker(null, first.port)
    await connected()
    await eventually(() => second.topics.has('larder/state'), 'the state is published')
    expect(mqtt.view().error).toBeNull()
  })

  test('that closes every connection is named', async () => {
    const server = createServer((socket) => void socket.on('error', () => {}).end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // it listens on one
    await mqtt.set(body(`mqtt://127.0.0.1:${port}`))
    await eventually(() => mqtt.view().error !== null, 'the reason is known')
    server.close()
  })

  test('that refuses the password says so; the password is sealed and nowhere shown', async () => {
    const broker = await mqttBroker({ user: 'larder', password: 'right' })
    await mqtt.set(body(broker.url, { user: 'larder', password: 'secret_word' }))
    await eventually(() => mqtt.view().error !== null, 'the reason is known')
    expect(mqtt.view().error).toMatch(/not auth|bad user/i)
    const stored = ['state.sqlite', 'state.sqlite-wal'].map((name) =>
      readFileSync(join(app.root, 'data', name), 'latin1'),
    )
    for (const text of [JSON.stringify(mqtt.view()), ...stored, app.deps.logLines.join('')]) {
      expect(text).not.toContain('secret_word')
    }
  })
})

describe('a change', () => {
  const put = (change: object) => app.send('PUT', path, 'admin', change)
  test('keeps the password for the same broker and user only', async () => {
    const off = { isEnabled: false, user: 'a' }
    const has = async (change: object) => {
      const view: MqttView = JSON.parse(await (await put(change)).text())
      return view.hasPassword
    }
    expect(await has(body('mqtt://one.lan', { ...off, password: 'x' }))).toBe(true)
    expect(await has(body('mqtt://one.lan', { ...off, prefix: 'other' }))).toBe(true)
    expect(await has(body('mqtt://two.lan', off))).toBe(false)
    expect(await has(body('mqtt://two.lan', { ...off, password: 'x' }))).toBe(true)
    expect(await has(body('mqtt://two.lan', { ...off, user: 'b' }))).toBe(false)
  })

  test('at the same time as another one leaves one connection', async () => {
    const broker = await mqttBroker()
    await Promise.all([mqtt.set(body(broker.url)), mqtt.set(body(broker.url, { prefix: 'other' }))])
    await connected()
    expect(mqtt.view().prefix).toBe('other')
    await mqtt.set(body(broker.url, { isEnabled: false }))
    await eventually(() => broker.clientCount() === 0, 'nobody is connected')
    // A forgotten connection would be back after 20 ms.
    await Bun.sleep(200)
    expect(broker.clientCount()).toBe(0)
  })

  test('can be removed, switched off', async () => {
    expect((await put(body('', { isEnabled: true }))).status).toBe(400)
    const answer = await put(body('', { isEnabled: false }))
    expect(await answer.json()).toMatchObject({ isEnabled: false, url: '', hasPassword: false })
  })

  test.each([
    ['http://broker.lan', {}],
    ['mqtt://', {}],
    ['mqtt://user:word@broker.lan', {}],
    ['mqtt://169.254.169.254', {}],
    ['mqtt://broker.lan', { prefix: 'a/#' }],
    ['mqtt://broker.lan', { prefix: '' }],
  ])('to %s %j is refused', async (url, own) => {
    expect((await put(body(url, own))).status).toBe(400)
  })
})

test('only what begins anew each day is a meter that Home Assistant resets when it falls', () => {
  const list = discoveryOf({ prefix: 'larder', installation: '01234567' })
  const resets = list
    .map(({ payload }) => JSON.parse(payload))
    .filter((one) => one.state_class === 'total_increasing')
  expect(resets.map((one) => one.object_id)).toEqual(['larder_todaySavedBytes'])
})

test('every entity of Home Assistant has an id of its own and a template of its figure', () => {
  const list = discoveryOf({ prefix: 'larder', installation: '01234567' })
  const payloads = list.map(({ payload }) => JSON.parse(payload))
  expect(new Set(payloads.map((one) => one.unique_id)).size).toBe(list.length)
  expect(new Set(list.map(({ topic }) => topic)).size).toBe(list.length)
  for (const one of payloads) {
    expect(one).toMatchObject({ state_topic: 'larder/state', availability_topic: 'larder/status' })
    expect(one.value_template).toMatch(/value_json\.[a-zA-Z]+/)
  }
})
