import { afterEach, describe, expect, test } from 'bun:test'
import { channelPair } from '../../../test/support/channel-pair.ts'
import { eventually } from '../../../test/support/eventually.ts'
import type { TestJobs } from '../../../test/support/job-kinds.worker.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import type { Channel } from '../../core/lib/channel.ts'
import { Engine, EngineEnded, EngineFailure, EngineSilent } from '../host.ts'
import { entriesPerMessage, nodeEngines, type NodeEngine } from './messages.ts'
import { NodePeer } from './peer.ts'
import { EngineServer, type ServedEngine } from './serve.ts'
import { failureOf } from '../../../test/support/answers.ts'

const script = new URL('../../../test/support/job-kinds.worker.ts', import.meta.url).href
const clean: (() => void)[] = []
afterEach(() => {
  for (const end of clean.splice(0)) end()
})

const isAnswering = (engine: { run(job: 'echo', text: string): Promise<unknown> }) =>
  engine.run('echo', 'back').then(
    () => true,
    () => false,
  )

/** A node with one engine of its own, and the service's engine whose jobs run there. */
function pair(options: { open?: () => Promise<unknown> } = {}) {
  const own = new Engine<TestJobs>({ name: 'own', script, log: quietLog })
  const aborted: string[] = []
  const extra: Record<string, (input: number) => unknown> = {
    list: (entries) => Array.from({ length: entries }, (_, at) => ({ at })),
    waitForCancel: () => new Promise(() => {}),
  }
  const served: ServedEngine = {
    run(job, input, run) {
      run.signal.addEventListener('abort', () => aborted.push(job))
      return Promise.resolve(
        extra[job]?.(Number(input)) ?? own.run(job as 'echo', input as string, run as object),
      )
    },
    end: () => own.kill(),
  }
  const engines = Object.fromEntries(nodeEngines.map((name) => [name, served]))
  const server = new EngineServer(
    engines as Record<NodeEngine, ServedEngine>,
    (_engine, _job, input) => input,
  )
  const peer = new NodePeer('nas')
  let channel: Channel | null = null
  function connect() {
    const { service, node } = channelPair()
    service.onMessage = (message) => void peer.received(message)
    service.onClose = (reason) => peer.disconnected(reason)
    node.onMessage = (message) => void server.received(message)
    node.onClose = () => server.disconnected()
    peer.connected(service)
    server.connected(node)
    channel = service
  }
  connect()
  const log = quietLog
  const engine = new Engine<TestJobs & { list: (entries: number) => { at: number }[] }>({
    name: 'remote',
    script: '',
    log,
    launch: peer.launch('cache'),
    patience: { silentMs: 700, answerMs: 900 },
    ...(options.open !== undefined && { open: options.open }),
  })
  clean.push(
    () => void engine.stop(),
    () => void own.stop(),
  )
  return { engine, own, server, peer, aborted, connect, cut: () => channel?.close('cut off') }
}

describe("a node's engine", () => {
  test('answers, fails and reports progress as a thread does', async () => {
    const { engine, own } = pair()
    expect(await engine.run('echo', 'here')).toBe('here')
    expect(await failureOf(engine.run('noSuchJob' as 'echo', ''))).toBeInstanceOf(EngineFailure)
    const cancel = new AbortController()
    let reports = 0
    await engine.run('sendForever', null, {
      signal: cancel.signal,
      progress: () => {
        if (++reports === 3) cancel.abort()
      },
    })
    expect(reports).toBeGreaterThanOrEqual(3)
    expect(await own.run('echo', 'alone')).toBe('alone')
  })

  test('is told of a job that was cancelled before', async () => {
    const { engine } = pair()
    await engine.run('sendForever', null, { signal: AbortSignal.abort() })
  })

  test('sends a long list in parts', async () => {
    const { engine } = pair()
    for (const entries of [0, 1, entriesPerMessage, entriesPerMessage + 1, 5 * entriesPerMessage]) {
      const list = await engine.run('list', entries)
      expect(list.length).toBe(entries)
      expect(list.every(({ at }, index) => at === index)).toBe(true)
    }
  })

  test('that is silent fails queries, and is replaced after the limit of a job', async () => {
    const { engine } = pair()
    expect(await engine.run('count', null)).toBe(1)
    expect(await engine.run('count', null)).toBe(2)
    const stuck = failureOf(engine.run('never', null, { limitMs: 300 }))
    expect(await stuck).toBeInstanceOf(EngineSilent)
    expect(await engine.run('count', null)).toBe(1)
    expect(await failureOf(engine.ask('never', null))).toBeInstanceOf(EngineSilent)
  })

  test('that crashes fails its jobs and runs the next', async () => {
    const { engine } = pair()
    expect(await failureOf(engine.run('crash', null))).toBeInstanceOf(EngineFailure)
    await eventually(() => isAnswering(engine), 'the node runs jobs again after a crash')
  })
})

describe('when the connection ends', () => {
  test('jobs fail as after a crash and are cancelled on the node; the engine is opened again', async () => {
    let opened = 0
    const { engine, aborted, cut, connect } = pair({
      open: () => {
        opened++
        return Promise.resolve()
      },
    })
    await engine.start()
    expect(await engine.run('echo', 'open')).toBe('open')
    const lost = failureOf(engine.run('waitForCancel' as 'echo', ''))
    await Bun.sleep(20)
    cut()
    expect(await lost).toBeInstanceOf(EngineEnded)
    await eventually(() => aborted.includes('waitForCancel'), 'the node cancels the lost job')
    connect()
    await eventually(() => isAnswering(engine), 'jobs run over the new connection')
    expect(opened).toBeGreaterThan(1)
  })

  test('jobs for a node that is away fail at once', async () => {
    const { engine, cut, aborted } = pair()
    cut()
    await Bun.sleep(20)
    expect(await failureOf(engine.run('echo', 'anyone'))).toBeInstanceOf(EngineFailure)
    expect(aborted).toEqual([])
  })
})

/** Values that no job expects. */
const hostile: unknown[] = [
  null,
  7,
  'job',
  [],
  {},
  { engine: 'cache' },
  { engine: 'nothing', kind: 'job', id: 1 },
  { engine: 'cache', kind: 'job', id: 'one', job: 'echo', input: null },
  { engine: 'cache', kind: 'job', id: 2 ** 70, job: 'echo', input: null },
  { engine: 'cache', kind: 'cancel', id: -1 },
  { engine: 'cache', kind: 'part', id: 1, entries: 'many' },
  { engine: 'cache', kind: 'engine', message: null },
  { engine: 'cache', kind: 'engine', message: { id: 0, kind: 'log', level: 'x', text: 1 } },
  { engine: 'cache', kind: 'engine', message: { id: 99, kind: 'done', output: 1 } },
  { engine: 'cache', kind: 'engine', message: { id: 0, kind: 'event', event: '__proto__' } },
]

test('messages of neither kind change nothing on either side', async () => {
  const { engine, server, peer } = pair()
  await engine.run('echo', 'before')
  for (const message of hostile) {
    expect(() => server.received(message)).not.toThrow()
    expect(() => peer.received(message)).not.toThrow()
  }
  expect(await engine.run('echo', 'after')).toBe('after')
})
