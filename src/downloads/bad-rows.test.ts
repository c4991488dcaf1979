import { expect, test } from 'bun:test'
import { testApp } from '../../test/support/app.ts'
import { readEverything } from '../../test/support/every-report.ts'
import { freshHistory } from '../../test/support/postgres.ts'
import { signInOwner } from '../../test/support/sign-in.ts'

const history = await freshHistory()
await history.read(async (_db, sql) => {
  // Written by hand, since every origin of rows refuses them.
  await sql.unsafe(`
    create table traffic_end partition of traffic for values from ('9000-01-01') to (maxvalue);
    create table traffic_begin partition of traffic for values from (minvalue) to ('1990-01-01')`)
  for (const [id, start, end] of [
    [1, '2026-01-01', '294276-12-31'],
    [2, '290000-01-01', '294276-12-31'],
    [3, '4000-01-01 BC', '2026-01-01'],
    [4, '2026-01-01', 'infinity'],
  ] as const) {
    await sql`
      insert into downloads (id, datasource, service, tag, client, title_key, is_prefill,
        started_at, ended_at, hit_bytes, miss_bytes, requests, last_url, revision)
      values (${id}, 'default', 'steam', 'steam', '10.0.0.9', 'alpha:701', false,
        ${start}, ${end}, 10, 10, 1, ${'x'.repeat(5_000_000)}, 1)`
    for (const table of ['traffic', 'traffic_hour', 'traffic_day']) {
      if (start === '2026-01-01') continue
      await sql`
        insert into ${sql(table)} (bucket_at, datasource, service, client, title_key, is_prefill,
          hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
        values (${start}, 'default', 'steam', '10.0.0.9', 'alpha:701', false, 10, 10, 1, 1,
          ${start}, ${end})`
    }
  }
})
const app = await testApp({ history, isIngesting: true, isIndexing: true })
const owner = await signInOwner(app)

test('rows with impossible times and huge texts fail no report and stay small in answers', async () => {
  const about = { client: '10.0.0.9', service: 'steam', id: 1 }
  const { failed, longest, answered } = await readEverything(app, owner, about)
  expect(failed).toEqual([])
  expect(answered).toBeGreaterThan(60)
  expect(longest).toBeLessThan(1_000_000)
})
