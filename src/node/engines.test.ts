import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../test/support/eventually.ts'
import { firstSecond, logLine } from '../../test/support/log-lines.ts'
import { freshDatabase, openTestClient } from '../../test/support/postgres.ts'
import { quietLog } from '../../test/support/quiet-log.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { createProxyControl } from '../cache/proxy/create.ts'
import { readConfig } from '../core/config.ts'
import { systemClock } from '../core/lib/clock.ts'
import { downloadIdStep } from '../engines/shipper/contract.ts'
import { NodeEngines } from './engines.ts'
import { environmentOf } from '../../test/support/postgres.ts'

const running: NodeEngines[] = []
afterAll(() => Promise.all(running.map((engines) => engines.stop())))

const lines = 40

/** Engines of a node in this slot, beside a log with requests of its own. */
function nodeWith(slot: number, environment: Record<string, string>): NodeEngines {
  const root = tempFolder('node-engines')
  for (const folder of ['data', 'cache', 'logs']) mkdirSync(join(root, folder))
  const text = Array.from({ length: lines }, (_, at) =>
    logLine({ at: firstSecond + at, client: '10.0.0.5', path: `/depot/441/chunk/${at}`, bytes: 9 }),
  )
  writeFileSync(join(root, 'logs', 'access.log'), text.join(''))
  const config = readConfig({
    DATA_PATH: join(root, 'data'),
    LanCache__DataSources__0__Name: `cache-${slot}`,
    LanCache__DataSources__0__LogPath: join(root, 'logs'),
    LanCache__DataSources__0__CachePath: join(root, 'cache'),
    LogProcessing__StartAt: 'beginning',
    ...environment,
  })
  const engines = new NodeEngines({
    config,
    log: quietLog,
    place: { id: `node-${slot}`, slot, name: `node-${slot}` },
    onHistoryCall() {},
    onReopenWanted() {},
    proxy: createProxyControl({ config, clock: systemClock, log: quietLog }),
  })
  running.push(engines)
  return engines
}

describe('nodes with an external history', () => {
  test('send their rows there themselves, without meeting those of others', async () => {
    const target = await freshDatabase()
    const external = {
      ...environmentOf(target),
      POSTGRES_PASSWORD: target.password === '' ? 'none' : target.password,
    }
    for (const slot of [1, 2]) await nodeWith(slot, external).logs.start()
    const sql = openTestClient(target)
    const sums = () => sql<{ datasource: string; requests: number }[]>`
      select datasource, sum(requests)::float8 as requests from traffic group by 1 order by 1`
    const expected = [1, 2].map((slot) => ({ datasource: `cache-${slot}`, requests: lines }))
    await eventually(async () => Bun.deepEquals([...(await sums())], expected), 'all rows arrive')
    const downloads = await sql<{ id: string; datasource: string }[]>`
      select id, datasource from downloads order by datasource`
    expect(downloads.map(({ id }) => Number(id) % downloadIdStep)).toEqual([1, 2])
    const links = await sql<{ installation: string }[]>`
      select installation from ingest_link order by id`
    expect(links.map(({ installation }) => installation)).toEqual(['node-1', 'node-2'])
  })
})
