import { expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { logLine } from '../../../test/support/log-lines.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig } from '../../core/config.ts'
import type { SpeedSnapshot } from './wire.ts'
import { createLogEngine } from './facade.ts'

const rounds = 20
const promiseMs = 1000

test('written lines are visible and pushed within a second', async () => {
  const folder = tempFolder('latency')
  const log = join(folder, 'logs', 'access.log')
  for (const name of ['data', 'logs']) mkdirSync(join(folder, name))
  writeFileSync(log, '')
  const environment = { DATA_PATH: join(folder, 'data'), LanCache__LogPath: join(folder, 'logs') }
  const engine = createLogEngine(readConfig(environment), quietLog)
  const pushedAt = new Map<string, number>()
  engine.onSpeeds(({ clientSpeeds }) => {
    for (const { clientIp } of clientSpeeds) {
      if (!pushedAt.has(clientIp)) pushedAt.set(clientIp, performance.now())
    }
  })
  const isIn = ({ clientSpeeds }: SpeedSnapshot, client: string) =>
    clientSpeeds.some(({ clientIp }) => clientIp === client)
  await engine.start()
  const latencies: number[] = []
  for (let round = 0; round < rounds; round++) {
    const client = `10.9.0.${round}`
    const at = Math.floor(Date.now() / 1000)
    const writtenMs = performance.now()
    appendFileSync(log, logLine({ at, client, bytes: 1_000_000 }))
    const isSeen = () => isIn(engine.speeds(), client) && pushedAt.has(client)
    await eventually(isSeen, `${client} is visible and pushed`)
    latencies.push(Math.max(performance.now(), pushedAt.get(client) ?? Infinity) - writtenMs)
    // Out of step with the engine's own timer.
    await Bun.sleep((round * 37) % 100)
  }
  // Single lines are late on a busy machine; a slow engine is late with most of them.
  expect(latencies.toSorted((a, b) => a - b)[rounds / 2]).toBeLessThanOrEqual(promiseMs)
  expect(engine.status()).toMatchObject({ lagMs: 0, backlogBytes: 0 })
  await engine.stop()
})
