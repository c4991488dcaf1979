import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Visitor } from '../../src/demo/visitor.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { createWire, LabNode } from './lab-node.ts'
import { Larder } from './larder.ts'
import { memoryOf } from './processes.ts'
import { alphaHeaders, download } from './proxy.ts'
import { referenceCount } from './reference-count.ts'

const root = tempFolder('nodes')
const names = ['attic', 'barn', 'cellar'] as const
const nodes = new Map<string, LabNode>()
let larder: Larder
let owner: Visitor
let wires: ReturnType<typeof createWire>[]

const options = () => ({
  dataPath: join(root, 'data'),
  cachePath: join(root, 'cache'),
  sources: [{ name: 'here', logPath: join(root, 'logs') }],
})
const portOf = (url: string) => Number(new URL(url).port)
const nodeOf = (name: string): LabNode => {
  const node = nodes.get(name)
  if (node === undefined) throw new Error(`there is no node ${name}`)
  return node
}
const logOf = (name: string) =>
  readFileSync(join(nodeOf(name).proxy.plainLogs, 'access.log'), 'utf8')

beforeAll(async () => {
  mkdirSync(join(root, 'logs'))
  larder = await Larder.start(options())
  owner = await larder.firstSignIn()
  wires = names.map(() => createWire(portOf(larder.url)))
  for (const [at, name] of names.entries()) {
    const invited = await owner.request('POST', '/api/ext/nodes', { name })
    expect(invited.status).toBe(201)
    const { token } = (await invited.json()) as { token: string }
    const serviceUrl = wires[at]?.url ?? ''
    nodes.set(name, await LabNode.start({ root: join(root, name), name, serviceUrl, token }))
  }
}, 180_000)

afterAll(async () => {
  expect(await larder.stop()).toBe(0)
})

let requests = 0
/** Requests of several clients for a few objects, so that some are hits. */
async function load(name: string, count: number): Promise<void> {
  const { port } = nodeOf(name).proxy
  for (let at = 0; at < count; at++) {
    const from = `127.0.0.${2 + (requests % 5)}`
    const path = `/size/${20_000 + 1000 * (requests % 4)}/depot/${730 + (requests % 4)}/chunk/${requests % 7}`
    requests++
    await download({ port, path, from, headers: alphaHeaders })
  }
}

/** The history has what the node's log says, once. */
async function untilCounted(name: string): Promise<void> {
  const expected = () => referenceCount(logOf(name), 'plain')
  const isSame = async () =>
    Bun.deepEquals(await larder.shipped(name).catch(() => ({})), expected())
  // The comparison below shows the difference, which a timeout cannot.
  await eventually(isSame, `the history has the requests of ${name}`).catch(() => {})
  expect(await larder.shipped(name)).toEqual(expected())
}

const read = <T>(path: string) => owner.read<T>(path)
const stateOf = async (name: string) => {
  const { items } = await read<{ items: { name: string; state: string }[] }>('/api/ext/nodes')
  return items.find((node) => node.name === name)?.state
}
const untilConnected = (name: string) =>
  eventually(
    async () => (await stateOf(name).catch(() => null)) === 'connected',
    `${name} is connected:\n${nodeOf(name).output.slice(-2000)}`,
  )

describe('three nodes of one service', () => {
  test('the requests of each reach the history', async () => {
    for (const name of names) await untilConnected(name)
    await Promise.all(names.map((name) => load(name, 40)))
    for (const name of names) await untilCounted(name)
  }, 180_000)

  test('their datasources are listed with those of the service', async () => {
    const { dataSources } = await read<{ dataSources: { name: string; cachePath: string }[] }>(
      '/api/system/config',
    )
    const [own, ...others] = dataSources.map(({ name }) => name)
    expect(own).toBe('here')
    expect(others.toSorted()).toEqual([...names])
    const megabytes = memoryOf([nodeOf('attic').pid]) / 1024 / 1024
    expect(megabytes).toBeLessThan(400)
  }, 60_000)

  test('a node that is killed, one that is cut off, and a killed service lose and double nothing', async () => {
    const [killed, cut, plain] = names
    const loads = Promise.all(names.map((name) => load(name, 60)))
    await nodeOf(killed).kill()
    wires[1]?.cut()
    await load(cut, 30)
    await load(killed, 20)
    await loads
    nodeOf(killed).start()
    await larder.kill()
    await load(plain, 30)
    larder = await Larder.start(options())
    for (const wire of wires) wire.lead(portOf(larder.url))
    await load(cut, 20)
    wires[1]?.mend()
    for (const name of names) await untilCounted(name)
  }, 240_000)
})
