import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, gunzipSync } from 'node:zlib'
import { openHot } from '../../../../db/hot/open.ts'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'

const victim = join(import.meta.dir, '../../../../test/support/victims/log-removal.ts')
const linesPerFile = 3000
/** Steps of the replacement of either file, and which of the files are new after a kill at them. */
const steps: Record<string, ('old' | 'new')[]> = {
  'written 1': ['old', 'old'],
  'noted 1': ['old', 'old'],
  'renamed 1': ['new', 'old'],
  'written 2': ['new', 'old'],
  'noted 2': ['new', 'old'],
  'renamed 2': ['new', 'new'],
}
const services = Object.keys(steps).map((_, index) => `service${index}`)

function textOf(file: number): string {
  let text = ''
  for (let index = 0; index < linesPerFile; index++) {
    // The second file begins with lines that stay, the first one with another line after each removal.
    const tag = index < 100 * file ? undefined : services[index % (services.length + 1)]
    const at = firstSecond + file * linesPerFile + index
    text += logLine({ at, tag, bytes: index, path: `/object/${index}` })
  }
  return text
}

const without = (text: string, tags: readonly string[]) =>
  text
    .split('\n')
    .filter((line) => !tags.some((tag) => line.startsWith(`[${tag}]`)))
    .join('\n')

test('killed at any step of a removal: files are whole and totals unchanged', async () => {
  const folder = tempFolder('removal-kill')
  const logs = join(folder, 'logs')
  mkdirSync(logs)
  const originals = [textOf(0), textOf(1)]
  writeFileSync(join(logs, 'access.log.1.gz'), gzipSync(originals[0] ?? ''))
  writeFileSync(join(logs, 'access.log'), originals[1] ?? '')
  const files = () => [
    gunzipSync(readFileSync(join(logs, 'access.log.1.gz'))).toString(),
    readFileSync(join(logs, 'access.log'), 'utf8'),
  ]
  const removed: string[] = []
  for (const [index, [step, states]] of Object.entries(steps).entries()) {
    const command = [process.execPath, victim, folder, logs, `service${index}`]
    const killed = Bun.spawn(command, { env: { ...process.env, KILL_AT: step }, stdout: 'ignore' })
    await killed.exited
    expect({ step, signal: killed.signalCode }).toEqual({ step, signal: 'SIGKILL' })
    const before = originals.map((text) => without(text, removed))
    removed.push(`service${index}`)
    const after = originals.map((text) => without(text, removed))
    const found = files().map((text, file) => {
      if (text === before[file]) return 'old'
      return text === after[file] ? 'new' : 'broken'
    })
    expect({ step, found }).toEqual({ step, found: states })
    // The next start finishes: it takes up what was left and removes the rest.
    expect(await Bun.spawn(command, { stdout: 'ignore' }).exited).toBe(0)
    expect(files()).toEqual(after)
  }
  expect(readdirSync(logs).filter((name) => name.includes('.tmp'))).toEqual([])
  const database = openHot(folder)
  const query = 'SELECT sum(hit_bytes) AS hit, sum(requests) AS requests FROM counter'
  const hit = originals.length * ((linesPerFile * (linesPerFile - 1)) / 2)
  expect(database.query(query).get()).toEqual({ hit, requests: 2 * linesPerFile })
  database.close()
})
