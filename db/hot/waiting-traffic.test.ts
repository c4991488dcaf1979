import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dir, 'migrations')
const statementsOf = (name: string) =>
  readFileSync(join(folder, name), 'utf8').split('--> statement-breakpoint')

test('traffic that waits during an upgrade is kept, sealed or not', () => {
  using database = new Database(':memory:')
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  const migrate = (name: string) => statementsOf(name).forEach((text) => database.run(text))
  const isBefore = (name: string) => name < '0007'
  names.filter(isBefore).forEach(migrate)
  const add = `INSERT INTO traffic_outbox (batch_id, bucket_at, datasource, service, client,
    title_key, is_prefill, hit_bytes, miss_bytes, requests, downloads, first_at, last_at,
    queued_at_ms, failed_requests) VALUES (?, 300, 'main', 'steam', '10.0.0.1', 'alpha:1', 0, 1, 2, 3,
    4, 301, 302, 5, 6)`
  for (const batch of ['', 'sealed']) database.run(add, [batch])
  const rows = () => database.query('SELECT * FROM traffic_outbox ORDER BY batch_id').all()
  const before = rows()
  expect(before).toHaveLength(2)
  names.filter((name) => !isBefore(name)).forEach(migrate)
  expect(rows()).toEqual(before)
})
