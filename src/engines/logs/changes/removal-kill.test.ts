import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, gunzipSync } from 'node:zlib'
import { openHot } from '../../../../db/hot/open.ts'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'

const victim = join(import.meta.dir, '../../../../test/support/victims/log-removal.ts')
const linesPerFile = 30_000
const services = Array.from({ length: 24 }, (_, index) => `service${index}`)
/** Milliseconds between two kills: a removal takes some hundred. */
const stepMs = 15

function textOf(file: number): string {
  let text = ''
  for (let index = 0; index < linesPerFile; index++) {
    const tag = services[(index * 7 + file) % services.length] ?? ''
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

test('killed at any moment of a removal: files are whole and totals unchanged', async () => {
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
  const seen = new Set<string>()
  let kills = 0
  for (const [turn, service] of services.entries()) {
    const child = Bun.spawn([process.execPath, victim, folder, logs, service], {
      stdout: 'pipe',
      stderr: 'inherit',
    })
    await child.stdout.getReader().read()
    const timer = setTimeout(() => child.kill('SIGKILL'), turn * stepMs)
    await child.exited
    clearTimeout(timer)
    if (child.signalCode !== null) kills++
    const before = originals.map((text) => without(text, removed))
    const after = originals.map((text) => without(text, [...removed, service]))
    const states = files().map((text, file) => {
      if (text === before[file]) return 'old'
      return text === after[file] ? 'new' : 'broken'
    })
    seen.add(states.join(' '))
    expect(states).not.toContain('broken')
    if (states.join(' ') !== 'new new') {
      // The next start finishes: it takes up what was left and removes the rest.
      const again = Bun.spawn([process.execPath, victim, folder, logs, service], {
        stdout: 'ignore',
      })
      expect(await again.exited).toBe(0)
      expect(files()).toEqual(after)
    }
    removed.push(service)
    if (child.signalCode === null && kills > 2) break
  }
  expect(kills).toBeGreaterThan(2)
  expect(seen.has('old old')).toBe(true)
  expect(readdirSync(logs).filter((name) => name.includes('.tmp'))).toEqual([])
  const database = openHot(folder)
  const query = 'SELECT sum(hit_bytes) AS hit, sum(requests) AS requests FROM counter'
  const hit = originals.length * ((linesPerFile * (linesPerFile - 1)) / 2)
  expect(database.query(query).get()).toEqual({ hit, requests: 2 * linesPerFile })
  database.close()
})
