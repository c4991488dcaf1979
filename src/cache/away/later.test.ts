import { expect, test } from 'bun:test'
import { openState } from '../../../db/state/open.ts'
import { ManualTime, settle } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { OperationResult } from '../../core/operations/contract.ts'
import { createOperations } from '../../core/operations/registry.ts'
import { awayNodes, type NodeHost } from '../../engines/remote/hosts.ts'
import type { CacheParts } from '../parts.ts'
import { Later, laterMax, type LaterJobs, type Part } from './later.ts'
import { randomBelow } from '../../../test/support/random.ts'

const steps = 300
const subjects = ['Nine', 'Twenty', 'Thirty']

/** Nodes, what they have yet to do, and the process that keeps it: all of it can go away. */
class Site {
  readonly time = new ManualTime()
  readonly state = openState(tempFolder('later'))
  readonly nodes = [1, 2, 3].map((slot) => ({ slot, name: `node ${slot}`, isHere: true }))
  /** Parts that are expected to wait, and when they were requested last, by node and subject. */
  readonly expected = new Map<string, number>()
  /** Ends the operation of a part. */
  readonly ends = new Map<string, { at: number; end: (result: OperationResult) => void }>()
  completed = 0
  #changed: (host: NodeHost) => void = () => {}
  later: Later
  operations: CacheParts['operations']

  constructor() {
    const { later, operations } = this.begin()
    this.later = later
    this.operations = operations
  }

  hosts = (): NodeHost[] =>
    this.nodes.map(
      ({ slot, name, isHere }) =>
        ({
          slot,
          name,
          awaySince: () => (isHere ? null : new Date(0)),
          datasources: () => [`cache-${slot}`],
        }) as unknown as NodeHost,
    )

  /** A process. */
  begin() {
    const { state, time } = this
    const parts = { state, clock: time, timers: time, log: quietLog, hub: { publish() {} } }
    const operations = createOperations(parts)
    operations.recover()
    this.ends.clear()
    const later = new Later({
      ...parts,
      operations,
      history: { onStatus() {} },
      nodeHosts: {
        all: this.hosts,
        onHost() {},
        onChange: (listener: (host: NodeHost) => void) => void (this.#changed = listener),
      },
    } as unknown as CacheParts)
    const job = (_work: object, part: Part) =>
      operations.submit({
        type: 'gameRemoval',
        scope: `alpha:${subjects.indexOf(part.subject)}`,
        variant: part.variant,
        ...part.name,
        run: () => {
          const [name = ''] = part.datasources
          const isHere = this.nodes.some((node) => node.isHere && `cache-${node.slot}` === name)
          if (!isHere)
            return Promise.resolve({ kind: 'failed', error: 'the node is away' } as const)
          const at = part.requestedAt.getTime()
          return new Promise((end) => this.ends.set(`${name} ${part.subject}`, { at, end }))
        },
      })
    const jobs: LaterJobs = { removal: job, evicted: job, corruption: job, clearing: job }
    later.start(jobs)
    return { later, operations }
  }

  kill(): void {
    this.later.stop()
    const { later, operations } = this.begin()
    this.later = later
    this.operations = operations
    // Nodes have to connect again.
    for (const node of this.nodes) node.isHere = false
  }

  switch(slot: number, isHere: boolean): void {
    const node = this.nodes.find((one) => one.slot === slot)
    if (node === undefined) return
    node.isHere = isHere
    const host = this.hosts().find((one) => one.slot === slot)
    if (host !== undefined) this.#changed(host)
    if (isHere) return
    // Its jobs fail with the connection.
    this.end(slot, { kind: 'failed', error: 'the node is away' })
  }

  end(slot: number, result: OperationResult): void {
    for (const [key, { at, end }] of this.ends) {
      if (!key.startsWith(`cache-${slot} `)) continue
      this.ends.delete(key)
      end(result)
      if (result.kind === 'failed') continue
      // Done without having been asked for, or twice?
      const requestedAt = this.expected.get(key)
      if (requestedAt === undefined) throw new Error(`twice: ${key}`)
      if (result.kind === 'completed') this.completed++
      // Otherwise it was requested anew meanwhile.
      if (requestedAt === at) this.expected.delete(key)
    }
  }

  request(subject: string): void {
    const left = awayNodes({ all: this.hosts })
    const target = { kind: 'named', service: 'riot', gameName: subject } as const
    this.later.keep(left, { work: { kind: 'removal', target, purgesLogs: false }, subject })
    const at = this.time.now().getTime()
    for (const { slot } of left) this.expected.set(`cache-${slot} ${subject}`, at)
  }

  remove(slot: number): void {
    const host = this.hosts().find((one) => one.slot === slot)
    this.nodes.splice(0, Infinity, ...this.nodes.filter((one) => one.slot !== slot))
    if (host !== undefined) this.#changed(host)
    this.end(slot, { kind: 'failed', error: 'the node was removed' })
    for (const key of this.expected.keys()) {
      if (key.startsWith(`cache-${slot} `)) this.expected.delete(key)
    }
  }

  waiting = () =>
    this.later.list().map(({ datasources, nameContext }) => {
      const game = nameContext?.['game']
      return `${datasources.join()} ${game}`
    })
}

test.each([1, 2, 3, 4])(
  'whatever goes away, comes back, is killed or cancelled, each part is done once (%p)',
  async (seed) => {
    const site = new Site()
    const below = randomBelow(seed)
    let cancelled = 0
    for (let step = 0; step < steps; step++) {
      const slot = 1 + below(3)
      const action = below(12)
      if (action < 3) site.switch(slot, false)
      else if (action < 6) site.switch(slot, true)
      else if (action < 8) site.request(subjects[below(subjects.length)] ?? '')
      else if (action < 10) site.end(slot, { kind: below(5) === 0 ? 'cancelled' : 'completed' })
      else if (action === 10) {
        const [row] = site.later.list()
        if (row !== undefined && row.operationId === null) {
          site.later.cancel(row.id)
          site.expected.delete(`${row.datasources.join()} ${row.nameContext?.['game']}`)
          cancelled++
        }
      } else if (below(8) === 0) site.kill()
      else if (step > steps - 20) site.remove(3)
      // A clock that stands still could not tell two requests.
      await site.time.advance(10)
      await settle()
      expect(site.waiting().toSorted()).toEqual([...site.expected.keys()].toSorted())
    }
    for (let round = 0; site.expected.size > 0; round++) {
      expect(round).toBeLessThan(steps)
      for (const { slot } of site.nodes) {
        site.switch(slot, true)
        site.end(slot, { kind: 'completed' })
      }
      await settle()
    }
    expect(site.later.list()).toEqual([])
    expect([site.completed > 5, cancelled > 0]).toEqual([true, true])
    site.state.close()
  },
)

test('parts that wait are limited', () => {
  const site = new Site()
  site.switch(1, false)
  site.later.requireCapacity()
  for (let at = 0; at < laterMax; at++) site.request(`game ${at}`)
  expect(() => site.later.requireCapacity()).toThrow(/wait for nodes that are away/)
  site.state.close()
})
