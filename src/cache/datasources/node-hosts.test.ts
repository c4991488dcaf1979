import { beforeEach, expect, test } from 'bun:test'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { channelPair } from '../../../test/support/channel-pair.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { systemClock } from '../../core/lib/clock.ts'
import type { Channel } from '../../core/lib/channel.ts'
import type { LogEngine } from '../../engines/logs/contract.ts'
import { isRecord } from '../../core/lib/record.ts'
import type { HistoryPart } from '../../engines/shipper/link.ts'
import type { NodeIdentity, Nodes } from '../../nodes/contract.ts'
import { NodeRegistry } from './node-hosts.ts'

let app: TestApp
let registry: NodeRegistry
/** Names under which the nodes were allowed to write, at each of their calls. */
let allowed: (readonly string[] | null)[]
let connected: (node: NodeIdentity, channel: Channel) => void

beforeEach(async () => {
  app ??= await testApp()
  app.settings.clear('nodes.places')
  allowed = []
  const config = { ...app.config, datasources: [...app.config.datasources] }
  const nodes = {
    list: () => [],
    onConnect: (listener) => void (connected = listener),
    onRemoved() {},
    onRenamed() {},
  } as Partial<Nodes> as Nodes
  const logs = {
    historyForNode(part: HistoryPart) {
      allowed.push(part.datasources)
      return Promise.resolve({ kind: 'done', value: null })
    },
  } as Pick<LogEngine, 'historyForNode'> as LogEngine
  const { settings, log, hub } = app
  const roots = () => Promise.resolve([])
  registry = new NodeRegistry({ config, settings, log, hub, clock: systemClock, roots })
  registry.attach(nodes, logs)
})

const source = (name: string) => ({
  name,
  logPath: '/logs',
  cachePath: '/cache',
  schemeOverride: 'auto',
})

/** Connects a node with these datasources, which answers every job, and lets it call the history. */
async function connect(id: string, names: readonly string[]): Promise<readonly string[] | null> {
  const { service, node } = channelPair()
  node.onMessage = (message) => {
    if (!isRecord(message) || message['kind'] !== 'job') return
    const done = { id: message['id'], kind: 'done', output: null }
    node.send({ kind: 'engine', engine: message['engine'], message: done })
  }
  connected({ id, name: id }, service)
  node.send({ kind: 'sources', sources: names.map(source) })
  const before = allowed.length
  node.send({ kind: 'history', id: 1, call: { name: 'side' } })
  await eventually(() => allowed.length > before, 'the call arrives')
  return allowed.at(-1) ?? null
}

test('rows that wait under a former name of their datasource keep it', async () => {
  expect(await connect('nas', ['old'])).toEqual(['old'])
  expect(await connect('nas', ['new'])).toEqual(['new', 'old'])
  expect(await connect('nas', ['newer'])).toEqual(['newer', 'new', 'old'])
  // Also after a restart of the service.
  expect(app.settings.get('nodes.places')['nas']).toMatchObject({ former: ['new', 'old'] })
  expect(await connect('nas', ['old'])).toEqual(['old', 'newer', 'new'])
})

test('a former name that another machine has is lost to the node', async () => {
  await connect('nas', ['old'])
  await connect('nas', ['new'])
  expect(await connect('attic', ['old'])).toEqual(['old'])
  expect(await connect('nas', ['new'])).toEqual(['new'])
  expect(await connect('nas', ['other'])).toEqual(['other', 'new'])
})
