import { expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHot } from '../../../db/hot/open.ts'
import { firstSecond, logLine } from '../../../test/support/log-lines.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { DownloadRow } from '../shipper/contract.ts'
import { HotOutbox } from './outbox.ts'
import { ReuseSamplers } from './reuse/samplers.ts'
import { LogStore } from './store.ts'

const lineCount = 60_000
const newline = 10
const victim = join(import.meta.dir, '../../../test/support/victims/log-reading.ts')

function writeLog(path: string): void {
  let text = ''
  for (let index = 0; index < lineCount; index++) {
    const cache = index % 3 === 0 ? 'MISS' : 'HIT'
    const client = `10.0.0.${index % 23}`
    const chunk = `/depot/${731 + (index % 5)}/chunk/${'ab'.repeat(19)}${index}`
    const at = firstSecond + Math.floor(index / 100)
    text += logLine({ at, client, cache, bytes: index, path: chunk, tag: 'steam' })
    if (text.length < 1_000_000) continue
    appendFileSync(path, text)
    text = ''
  }
  appendFileSync(path, text)
}

/** Counts independently of the engine's code. */
function referenceCount(path: string) {
  const total = { hit: 0, miss: 0, requests: 0 }
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const parts = / (\d{3}) (\d+) "-" "[^"]*" "(HIT|MISS)"/.exec(line)
    if (parts === null) continue
    total.requests++
    if (parts[3] === 'HIT') total.hit += Number(parts[2])
    else total.miss += Number(parts[2])
  }
  return total
}

const modes = ['follow', 'backfill']

test.each(modes)('killed at any moment of a %s, counts every byte exactly once', async (mode) => {
  const folder = tempFolder('kill')
  const logs = join(folder, 'logs')
  mkdirSync(logs)
  const log = join(logs, 'access.log')
  writeLog(log)
  let killsBetweenCommits = 0
  for (let round = 0; ; round++) {
    const child = Bun.spawn([process.execPath, victim, folder, logs, mode], {
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const commits = round % 3
    const output = child.stdout.getReader()
    for (let lines = -1; lines < commits;) {
      const { value, done } = await output.read()
      if (done) break
      lines += value.filter((byte) => byte === newline).length
    }
    // Later and later in what follows.
    const timer = setTimeout(() => child.kill('SIGKILL'), 2 * round)
    await child.exited
    clearTimeout(timer)
    if (child.exitCode === 0) break
    expect(child.signalCode).toBe('SIGKILL')
    if (commits > 0) killsBetweenCommits++
  }
  const database = openHot(folder)
  const sums = `sum(hit_bytes) AS hit, sum(miss_bytes) AS miss, sum(requests) AS requests`
  const expected = referenceCount(log)
  expect(killsBetweenCommits).toBeGreaterThan(2)
  for (const table of ['counter', 'traffic_outbox']) {
    expect(database.query(`SELECT ${sums} FROM ${table}`).get()).toEqual(expected)
  }
  // Ranges that are read later are in no sample.
  const source = { name: 'main', logPath: logs, cachePath: '/c', schemeOverride: 'auto' as const }
  const limits = { startAt: 'end' as const, pollMs: 50, outboxMaxMb: 512 }
  const config = { datasources: [source], ingest: limits }
  const [curve] = new ReuseSamplers(new LogStore(database), config).curves()
  const { hit, miss, requests } = expected
  const counted = {
    bytes: hit + miss,
    requests: requests - 1,
    hitBytes: hit,
    hits: (lineCount * 2) / 3,
  }
  expect(curve?.sums).toEqual(mode === 'follow' ? counted : undefined)
  const outbox = new HotOutbox(database)
  const sent = new Map<number, DownloadRow>()
  for (let batch = outbox.next(); batch !== null; batch = outbox.next()) {
    for (const row of batch.downloads) sent.set(row.id, row)
    outbox.acknowledge(batch)
  }
  const total = (key: 'hitBytes' | 'missBytes' | 'requests') =>
    [...sent.values()].reduce((sum, row) => sum + row[key], 0)
  expect([total('hitBytes'), total('missBytes'), total('requests')]).toEqual([hit, miss, requests])
  // One download per client and depot: a restart must not split one.
  expect(sent.size).toBe(115)
  database.close()
})
