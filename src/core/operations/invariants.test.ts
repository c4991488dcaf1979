import { expect, test } from 'bun:test'
import { openState } from '../../../db/state/open.ts'
import { ManualTime, settle } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { conflict } from './conflicts.ts'
import { operationTypes, type OperationResult, type OperationView } from './contract.ts'
import { createOperations } from './registry.ts'
import { randomBelow } from '../../../test/support/random.ts'

const scopes = ['bulk', 'alpha:1', 'alpha:2', 'beta:x', 'service:steam', 'named:riot:valorant']
const steps = 400

const isActive = ({ status }: OperationView) => status === 'running' || status === 'cancelling'

function conflictsAmong(views: OperationView[]): string[] {
  const active = views.filter(isActive)
  return active.flatMap((one, index) =>
    active
      .slice(index + 1)
      .filter((other) => conflict(one, other) !== null)
      .map((other) => `${one.type}(${one.scope}) beside ${other.type}(${other.scope})`),
  )
}

test.each([1, 2, 3])(
  'under random actions, no jobs conflict and none is lost (%p)',
  async (seed) => {
    const folder = tempFolder('invariants')
    const state = openState(folder)
    const time = new ManualTime()
    const hub = { publish: () => {} }
    const operations = createOperations({ state, clock: time, log: quietLog, hub, timers: time })
    const below = randomBelow(seed)
    const ends = new Map<string, (result: OperationResult) => void>()
    const submitted = new Set<string>()
    for (let step = 0; step < steps; step++) {
      const action = below(10)
      const running = operations.list().filter(isActive)
      const picked = operations.list()[below(operations.list().length || 1)]
      if (action < 5) {
        const type = operationTypes[below(operationTypes.length)] ?? 'statusCheck'
        const scope = scopes[below(scopes.length)] ?? 'bulk'
        const run = ({ operationId }: { operationId: string }) =>
          new Promise<OperationResult>((resolve) => void ends.set(operationId, resolve))
        if (operations.waiting().length < 50) {
          submitted.add(operations.submit({ type, scope, name: type, run }).operationId)
        }
      } else if (action < 8) {
        const { id } = running[below(running.length || 1)] ?? {}
        if (id !== undefined) ends.get(id)?.({ kind: below(2) === 0 ? 'completed' : 'cancelled' })
      } else if (action === 8 && picked !== undefined) operations.cancel(picked.id)
      await time.advance(below(500))
      expect(conflictsAmong(operations.list())).toEqual([])
    }
    for (let round = 0; operations.list().some((view) => view.finishedAt === null); round++) {
      expect(round).toBeLessThan(steps)
      for (const end of ends.values()) end({ kind: 'completed' })
      await settle()
      expect(conflictsAmong(operations.list())).toEqual([])
    }
    const open = [...submitted].filter((id) => operations.find(id)?.finishedAt === null)
    expect(open).toEqual([])
    expect(submitted.size).toBeGreaterThan(50)
    state.close()
  },
)
