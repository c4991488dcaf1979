import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { olderInstallation } from '../../../test/support/older-installation.ts'
import { freshDatabase, openTestClient } from '../../../test/support/postgres.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig } from '../../core/config.ts'
import { makeSnapshot } from '../../engines/backup/make.ts'
import { stageSnapshot } from '../../engines/backup/stage.ts'
import { applyRestore } from './apply.ts'
import { environmentOf } from '../../../test/support/postgres.ts'

const passive = { progress() {}, isCancelled: () => false }

test('restored rows obey the limits of time and length', async () => {
  const { dataPath, target: history, sql } = await olderInstallation()
  for (const [id, start, end] of [
    [8, '2026-01-01', '294276-12-31'],
    [9, '2026-01-01', '2025-12-31'],
    [10, '290000-01-01', '290000-01-01'],
    [11, '1970-01-02', '1970-01-02'],
  ] as const) {
    await sql`
      insert into downloads (id, datasource, service, tag, client, title_key, is_prefill,
        started_at, ended_at, hit_bytes, miss_bytes, requests, last_url, revision)
      values (${id}, 'default', 'steam', 'steam', '10.0.0.8', 'alpha:8', false,
        ${start}::text::timestamptz, ${end}::text::timestamptz,
        50, 0, 1, ${'x'.repeat(3000)}, 1)`
    await sql`
      insert into traffic_day (bucket_at, datasource, service, client, title_key, is_prefill,
        hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
      select at, 'default', 'steam', '10.0.0.8', 'alpha:8', false, 50, 0, 1, 1, at, at
      from (select ${start}::text::timestamptz as at) as day
      on conflict (bucket_at, title_key, client, service, datasource, is_prefill) do update
        set hit_bytes = traffic_day.hit_bytes + excluded.hit_bytes`
  }
  await sql.end()
  const file = join(dirname(dataPath), 'limits.tar.zst')
  await makeSnapshot({ dataPath, file, version: '0.0.1', history }, passive)

  const target = await freshDatabase()
  const config = readConfig({
    DATA_PATH: join(tempFolder('restore-limits'), 'data'),
    ...environmentOf(target),
  })
  await stageSnapshot({ file, dataPath: config.dataPath }, passive)
  expect(await applyRestore(config, quietLog)).toMatchObject({ problem: null })
  const restored = openTestClient(target)
  const rows = await restored`
    select id::int, ended_at = started_at as "endsAtOnce", length(last_url) as length
    from downloads order by id`
  expect([...rows]).toEqual([
    { id: 7, endsAtOnce: false, length: 0 },
    { id: 8, endsAtOnce: true, length: 2000 },
    { id: 9, endsAtOnce: true, length: 2000 },
  ])
  const [sums] = await restored`
    select (select sum(hit_bytes)::int from traffic_day) as days,
      (select sum(hit_bytes)::int from service_day) as services,
      (select sum(hit_bytes)::int from download_groups where span_days = 0) as groups`
  expect(sums).toEqual({ days: 100, services: 100, groups: 105 })
})
