import { afterEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectTotals } from './expect-totals.ts'
import { Larder } from './larder.ts'
import { LogWriter } from './log-writer.ts'
import { referenceCount, type CountTable } from './reference-count.ts'
import { processesNaming } from './processes.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('lab')
const logPath = join(root, 'logs')
const file = join(logPath, 'access.log')
mkdirSync(logPath)
// A failed test must not leave a service that locks the data directory.
afterEach(async () => {
  for (const larder of started.splice(0)) await larder.stop()
})

const requestsOf = (table: CountTable) =>
  Object.values(table).reduce((sum, { requests }) => sum + requests, 0)

const started: Larder[] = []
async function start(): Promise<Larder> {
  const larder = await Larder.start(options)
  started.push(larder)
  return larder
}

const options = {
  dataPath: join(root, 'data'),
  cachePath: join(root, 'cache'),
  sources: [{ name: 'main', logPath }],
}

describe('kill -9', () => {
  test('during an import, several times', async () => {
    const writer = new LogWriter(file, 1)
    while (writer.lineCount < 200_000) writer.writeSome()
    writer.stop()
    const expected = referenceCount(readFileSync(file, 'utf8'), 'plain')
    const all = requestsOf(expected)
    let killedInside = 0
    for (let round = 1; round <= 3; round++) {
      const before = round === 1 ? 0 : requestsOf(committedOf())
      const larder = await start()
      // Killed after some more progress, at an arbitrary point.
      await eventually(
        () => requestsOf(larder.committed('main')) > before || before === all,
        'the import goes on',
      )
      await larder.kill()
      if (requestsOf(larder.committed('main')) < all) killedInside++
      lastKilled = larder
    }
    expect(killedInside).toBeGreaterThan(0)
    const larder = await start()
    await expectTotals(larder, 'main', expected)
    expect(await larder.stop()).toBe(0)
  })

  test('while following a log under load; the history server survives each time', async () => {
    const writer = new LogWriter(file, 2).start()
    const before = readFileSync(file, 'utf8')
    for (const afterMs of [300, 640]) {
      const larder = await start()
      await eventually(() => larder.output.includes('history ready'), 'the history is there')
      await Bun.sleep(afterMs)
      await larder.kill()
    }
    writer.stop()
    const larder = await start()
    await expectTotals(larder, 'main', referenceCount(before + writer.text, 'plain'))
    const postgres = larder.postgresPid()
    expect(await larder.stop()).toBe(0)
    expect(postgres).not.toBeNull()
    // No process of the earlier runs is left either.
    expect(processesNaming(options.dataPath)).toEqual([])
  })
})

let lastKilled: Larder | null = null
const committedOf = (): CountTable => lastKilled?.committed('main') ?? {}
