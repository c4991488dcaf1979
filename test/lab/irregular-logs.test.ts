import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachelogLine } from '../../src/demo/log-formats.ts'
import type { Visitor } from '../../src/demo/visitor.ts'
import { expectTotals } from './expect-totals.ts'
import { Larder } from './larder.ts'
import { referenceCount } from './reference-count.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('lab')
const names = ['missing', 'loop', 'folder', 'empty', 'garbage', 'long', 'shrinking'] as const
type Name = (typeof names)[number]
const logPath = (name: Name) => join(root, name)
const logFile = (name: Name) => join(root, name, 'access.log')

/** Valid lines, different for every start. */
function lines(start: number, count: number): string {
  let text = ''
  for (let index = start; index < start + count; index++) {
    text += `${cachelogLine({
      at: 1_795_211_569 + index,
      tag: 'steam',
      client: `192.168.9.${index % 7}`,
      forwardedFor: '-',
      method: 'GET',
      target: `/depot/441/chunk/${index}`,
      status: 200,
      bytes: 1000 + index,
      userAgent: 'Valve/Steam HTTP Client 1.0',
      cacheStatus: index % 3 === 0 ? 'MISS' : 'HIT',
      host: 'lancache.steamcontent.com',
      range: '-',
    })}\n`
  }
  return text
}

let larder: Larder
let visitor: Visitor

beforeAll(async () => {
  for (const name of names) {
    if (name !== 'missing' && name !== 'loop') mkdirSync(logPath(name))
  }
  symlinkSync('loop', logPath('loop'))
  mkdirSync(logFile('folder'))
  writeFileSync(logFile('empty'), '')
  const noise = Buffer.alloc(200_000)
  for (let index = 0; index < noise.length; index++) noise[index] = (index * 7919) % 256
  writeFileSync(logFile('garbage'), Buffer.concat([Buffer.from(lines(0, 50)), noise]))
  appendFileSync(logFile('garbage'), `\n${lines(50, 50)}`)
  const overlong = `[steam] 1.2.3.4 / - - - ${'x'.repeat(10 * 1024 * 1024)}\n`
  writeFileSync(logFile('long'), lines(0, 50) + overlong + lines(50, 50))
  writeFileSync(logFile('shrinking'), lines(0, 500))
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: join(root, 'cache'),
    sources: names.map((name) => ({ name, logPath: logPath(name) })),
  })
  visitor = await larder.firstSignIn()
})

afterAll(async () => {
  expect(await larder.stop()).toBe(0)
})

interface Source {
  datasource: string
  problem: string
  unparsedLines: number
  invalidEncodingLines: number
  overlongLines: number
}

async function source(name: Name): Promise<Source> {
  const all = await visitor.read<Source[]>('/api/logs/positions')
  const found = all.find(({ datasource }) => datasource === name)
  if (found === undefined) throw new Error(`no datasource ${name}`)
  return found
}

describe('irregular logs', () => {
  test('reports a missing directory, and reads it once it exists', async () => {
    expect((await source('missing')).problem).toBe('missing_directory')
    mkdirSync(logPath('missing'))
    writeFileSync(logFile('missing'), lines(0, 100))
    await expectTotals(larder, 'missing', referenceCount(lines(0, 100), 'plain'))
    await eventually(
      async () => (await source('missing')).problem === 'none',
      'the problem is over',
    )
  })

  test.each(['loop', 'folder'] as const)(
    'reports an unreadable log (%s) as a problem',
    async (name) => {
      expect((await source(name)).problem).not.toBe('none')
      const { isHealthy } = await visitor.read<{ isHealthy: boolean }>('/api/ext/status')
      expect(isHealthy).toBe(false)
    },
  )

  test('accepts an empty log', async () => {
    expect((await source('empty')).problem).toBe('none')
    appendFileSync(logFile('empty'), lines(0, 10))
    await expectTotals(larder, 'empty', referenceCount(lines(0, 10), 'plain'))
  })

  test('binary garbage affects only its own lines', async () => {
    await expectTotals(larder, 'garbage', referenceCount(lines(0, 100), 'plain'))
    const { unparsedLines, invalidEncodingLines } = await source('garbage')
    expect(unparsedLines + invalidEncodingLines).toBeGreaterThan(0)
  })

  test('a line of ten MiB affects only itself', async () => {
    await expectTotals(larder, 'long', referenceCount(lines(0, 100), 'plain'))
    expect((await source('long')).overlongLines).toBe(1)
  })

  test('reads a log that shrinks from its new beginning', async () => {
    await expectTotals(larder, 'shrinking', referenceCount(lines(0, 500), 'plain'))
    truncateSync(logFile('shrinking'))
    appendFileSync(logFile('shrinking'), lines(9000, 20))
    const expected = referenceCount(lines(0, 500) + lines(9000, 20), 'plain')
    await expectTotals(larder, 'shrinking', expected)
  })

  test('the service is running after all of it', async () => {
    expect(larder.isRunning).toBe(true)
    expect((await fetch(`${larder.url}/health`)).status).toBe(200)
  })
})
