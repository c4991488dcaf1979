import { expect, test } from 'bun:test'
import { node } from '../../db/state/schema/nodes.ts'
import { testApp } from '../../test/support/app.ts'
import { NodeService } from './service.ts'

test('a node that was connected when the service was killed is away since the next start', async () => {
  const app = await testApp()
  const joined = { id: crypto.randomUUID(), name: 'nas', publicKey: 'key', createdAt: new Date(0) }
  app.state.db.insert(node).values(joined).run()
  const before = app.clock.now()
  const [view] = new NodeService({ ...app, noteJoined() {} }).list()
  expect(view?.state).toBe('away')
  expect(view?.since.getTime()).toBeGreaterThanOrEqual(before.getTime())
})
