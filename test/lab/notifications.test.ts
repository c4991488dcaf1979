import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Notifications } from '../../src/system/notifications/model.ts'
import { eventually } from '../support/eventually.ts'
import { notificationServer } from '../support/notification-server.ts'
import { slowness } from '../support/slowness.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { testServer } from '../support/test-server.ts'
import { Larder } from './larder.ts'

interface Jobs {
  recent: { type: string; status: string }[]
}

const root = tempFolder('notifications')
/** Refuses every list, so that an import of names fails. */
const lists = testServer(() => new Response('', { status: 404 }))

const start = () => Larder.startIn(root, { Alpha__DepotListUrl: `${lists.url}/list.json` })

test('a target that hangs delays neither others nor the end; what waits survives a kill', async () => {
  const [good, hanging] = [notificationServer(), notificationServer()]
  hanging.setMood('hangs')
  // Without it the detection of games fails, which the first start begins after some seconds.
  mkdirSync(join(root, 'cache'))
  const first = await start()
  const owner = await first.firstSignIn()
  const path = '/api/ext/notifications'
  for (const { url } of [hanging, good]) {
    await owner.write('POST', `${path}/targets`, { name: url, kind: 'webhook', url })
  }
  const import404 = () => owner.request('POST', '/api/depots/import?source=github')
  const about = (text: string) => good.titles().filter((title) => String(title).includes(text))
  await import404()
  // Interrupted by the kill, it would be a message, too.
  const isDetected = async () => {
    const { recent } = await owner.read<Jobs>('/api/ext/operations')
    return recent.some(({ type, status }) => type === 'gameDetection' && status === 'completed')
  }
  await eventually(isDetected, 'the detection of the first start is over')
  await eventually(() => about('failed').length === 1, 'the other target has the message')
  const waiting = async () => {
    const { targets } = await owner.read<Notifications>(path)
    return targets.map((target) => target.waiting)
  }
  // A kill right after the delivery, before it is noted, would send the message twice.
  await eventually(async () => (await waiting())[1] === 0, 'the delivery is noted')
  expect(await waiting()).toEqual([1, 0])
  const askedMs = performance.now()
  expect((await fetch(`${first.url}/health`)).status).toBe(200)
  expect(performance.now() - askedMs).toBeLessThan(2000 * slowness)

  await first.kill()
  const second = await start()
  // The request of the new process hangs again, until the service ends.
  await eventually(() => hanging.held() > 1, 'the waiting message is sent again')
  const stoppedMs = performance.now()
  expect(await second.stop()).toBe(0)
  expect(performance.now() - stoppedMs).toBeLessThan(10_000 * slowness)

  hanging.setMood('answers')
  const third = await start()
  await eventually(() => hanging.received.length === 1, 'the message arrives at last')
  expect(hanging.titles()).toEqual(about('failed'))
  expect(good.received).toHaveLength(1)
  expect(await third.stop()).toBe(0)
})
