import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { logLine } from '../../../test/support/log-lines.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { findHosts, findRepeats } from './repeats.ts'
import { tailBytes } from './tails.ts'

const root = tempFolder('tails')

let folders = 0
function logs(text: string): string {
  const folder = join(root, String(folders++))
  mkdirSync(folder)
  writeFileSync(join(folder, 'access.log'), text)
  return folder
}

const ranged = (path: string, range: string) =>
  logLine({ path, status: 206 }).replace(/"-"\n$/, `"${range}"\n`)

const requestFor = (logPath: string) => ({
  logPath,
  scheme: 'monolithic' as const,
  sliceBytes: 1_048_576,
  timeZone: 'UTC',
  fromS: 0,
  toS: 2 ** 40,
  client: null,
})

describe('repeated requests', () => {
  test('are counted by client, object and slice', async () => {
    const lines = [
      ...Array.from({ length: 4 }, () => ranged('/odd', 'bytes=1048576-2097151')),
      ...Array.from({ length: 2 }, () => ranged('/odd', 'bytes=0-1048575')),
      ...Array.from({ length: 9 }, () => logLine({ path: '/odd', agent: 'Larder-Probe/1' })),
      ...Array.from({ length: 3 }, (_, at) => logLine({ client: `10.1.0.${at}`, path: '/busy' })),
      ...Array.from({ length: 3 }, (_, at) => logLine({ path: `/once?${at}`, status: 502 })),
    ]
    const found = await findRepeats(requestFor(logs(lines.join(''))))
    expect(found).toMatchObject({ filesRead: 1, isCut: false, problem: null, dropped: 0 })
    expect(found.requests.map(({ path, sliceStart, asked }) => [path, sliceStart, asked])).toEqual([
      // Failed responses weigh more than one more request.
      ['/once', 0, 3],
      ['/odd', 1_048_576, 4],
    ])
  })

  test('are not searched beyond the end of a large log', async () => {
    const old = Array.from({ length: 5 }, () => logLine({ path: '/old' })).join('')
    const filler = logLine({ path: `/${'x'.repeat(1500)}`, agent: 'Larder-Probe/1' })
    const body = filler.repeat(Math.ceil(tailBytes / filler.length))
    const last = Array.from({ length: 3 }, () => logLine({ path: '/new' })).join('')
    const found = await findRepeats(requestFor(logs(old + body + last)))
    expect(found.requests.map(({ path }) => path)).toEqual(['/new'])
    expect(found.isCut).toBe(true)
  })

  test('gives the reason when there are no logs', async () => {
    const found = await findRepeats(requestFor(join(root, 'nowhere')))
    expect(found.requests).toEqual([])
    expect(found.problem).not.toBeNull()
  })
})

test('finds the hosts of a tag, and the last ones of the object', async () => {
  const lines = [
    ...Array.from({ length: 3 }, () => logLine({ path: '/b', host: 'one.test' })),
    logLine({ path: '/a?x=1', host: 'TWO.test' }),
    logLine({ tag: 'riot', path: '/a', host: 'three.test' }),
  ]
  const request = { ...requestFor(logs(lines.join(''))), tag: 'steam', path: '/a' }
  expect(await findHosts(request)).toMatchObject({
    hosts: [
      { host: 'one.test', requests: 3 },
      { host: 'two.test', requests: 1 },
    ],
    objectHost: 'two.test',
  })
})
