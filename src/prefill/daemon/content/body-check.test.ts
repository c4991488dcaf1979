import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { practiceOrigin } from '../../../../test/support/practice-origin.ts'
import { createBandwidth } from './bandwidth.ts'
import { createBodyCheck } from './body-check.ts'
import { createCacheClient } from './cache-client.ts'
import { ContentFault } from './content-fault.ts'
import { download, type ContentObject } from './download.ts'
import { createMeter } from './meter.ts'

type Wanted = Parameters<typeof createBodyCheck>[0]
interface Answer {
  status?: number
  headers?: Record<string, string>
  body: string
}

/** Null: the answer is the wanted one; otherwise the kind of the fault. */
function judge(wanted: Wanted, { status = 200, headers = {}, body }: Answer): string | null {
  const check = createBodyCheck(wanted)
  try {
    check.onHead({ status, headers: new Map(Object.entries(headers)), isKeptOpen: true })
    if (body !== '') check.onBody(Buffer.from(body))
    check.end()
    return null
  } catch (error) {
    if (error instanceof ContentFault) return error.kind
    throw error
  }
}

const html = { 'content-type': 'text/html; charset=utf-8' }
const range = { first: 10, last: 19 }
const part = (contentRange: string, body = '0123456789'): Answer => ({
  status: 206,
  headers: { 'content-range': contentRange },
  body,
})

describe('a body of known size', () => {
  test.each([
    [{ body: '0123456789' }, null],
    [{ body: '0123456789', headers: html }, null],
    [{ body: '' }, 'wrong'],
    [{ body: '012345678' }, 'wrong'],
    [{ body: '0123456789a' }, 'wrong'],
    [{ body: '<html></html>', headers: html }, 'wrong'],
    [{ body: '', status: 204 }, 'wrong'],
    [part('bytes 0-9/10'), 'wrong'],
    [{ body: '', status: 302 }, 'lasting'],
    [{ body: '', status: 404 }, 'lasting'],
    [{ body: '', status: 508 }, 'lasting'],
    [{ body: '', status: 408 }, 'failing'],
    [{ body: '', status: 504 }, 'failing'],
  ] as const)('%p', (answer, fault) => {
    expect(judge({ bytes: 10 }, answer)).toBe(fault)
  })
})

describe('a body of unknown size', () => {
  test.each([
    [{ body: 'x' }, null],
    [{ body: '' }, 'wrong'],
    [{ body: '<html>', headers: html }, 'wrong'],
  ] as const)('%p', (answer, fault) => {
    expect(judge({ bytes: 0 }, answer)).toBe(fault)
  })

  test('but not below a least one', () => {
    const wanted = { bytes: 5, expected: { isAtLeast: true } }
    expect(judge(wanted, { body: '0123' })).toBe('wrong')
    expect(judge(wanted, { body: '0123456789' })).toBeNull()
    expect(judge(wanted, { body: '<html>...</html>', headers: html })).toBe('wrong')
  })
})

describe('a part of a file', () => {
  test.each([
    [part('bytes 10-19/100'), null],
    [part('bytes 10-19/*'), null],
    [part('bytes 10-19/20'), null],
    [part('bytes 11-20/100'), 'wrong'],
    [part('bytes 0-9/100'), 'wrong'],
    [part('bytes 10-19/100', '012345678'), 'wrong'],
    [part('bytes 10-18/100', '012345678'), 'wrong'],
    [part('bytes 10-18/19', '012345678'), 'wrong'],
    [part('10-19'), 'wrong'],
    [part(''), 'wrong'],
    [{ body: '0123456789', status: 206 }, 'wrong'],
    [{ body: '0123456789' }, 'wrong'],
    [{ body: '', status: 416 }, 'lasting'],
  ] as const)('%p', (answer, fault) => {
    expect(judge({ bytes: 10, range }, answer)).toBe(fault)
  })

  test('may end with a file that is as long as planned', () => {
    const wanted = { bytes: 4, range: { first: 0, last: 9 } }
    expect(judge(wanted, part('bytes 0-3/4', '0123'))).toBeNull()
    expect(judge(wanted, part('bytes 0-6/7', '0123456'))).toBeNull()
    expect(judge(wanted, part('bytes 0-2/3', '012'))).toBe('wrong')
    expect(judge(wanted, part('bytes 0-3/9', '0123'))).toBe('wrong')
    expect(judge(wanted, { body: '0123' })).toBeNull()
    expect(judge({ ...wanted, bytes: 0 }, part('bytes 0-2/3', '012'))).toBeNull()
  })
})

test('a hash decides where one is known', () => {
  for (const algorithm of ['sha1', 'md5'] as const) {
    const hex = createHash(algorithm).update('right').digest('hex')
    const wanted = { bytes: 5, expected: { hash: { algorithm, hex } } }
    expect(judge(wanted, { body: 'right' })).toBeNull()
    expect(judge(wanted, { body: 'wrong' })).toBe('wrong')
  }
})

/** What a cache holds instead of an object. */
const wrongBodies: Record<string, () => Response> = {
  'an HTML page': () => new Response('<html>sign in</html>', { headers: html }),
  nothing: () => new Response(''),
  'a longer body': () => new Response(new Uint8Array(101)),
  'a shorter body': () => new Response(new Uint8Array(99)),
}

describe.each(Object.entries(wrongBodies))('a cache that holds %s', (_name, answer) => {
  const objects = Array.from({ length: 40 }, (_, index): ContentObject => ({
    hosts: ['one.test', 'two.test'],
    target: `/size/100/${index}?signature=secret`,
    bytes: 100,
  }))
  const isPast = (path: string) => path.endsWith('&nocache=1')

  async function run(isAlsoWrong: boolean) {
    const origin = practiceOrigin()
    origin.intercept((path) => {
      const isBad = path.startsWith('/size/100/3')
      return isBad && (isAlsoWrong || !isPast(path)) ? answer() : undefined
    })
    const address = { host: '127.0.0.1', port: origin.port }
    const patience = { repeatPauseMs: 1, firstPauseMs: 1 }
    const bandwidth = createBandwidth()
    const client = createCacheClient({ address, userAgent: null, bandwidth, patience })
    const { signal } = new AbortController()
    const meter = createMeter()
    const options = { client, signal, meter, journal: null, parallel: 5, bypass: 'never' } as const
    const downloaded = await download(objects, options).finally(() => client.close())
    return { downloaded, meter, past: origin.content.filter(({ path }) => isPast(path)) }
  }

  test('is asked past it, and only for that', async () => {
    const { downloaded, meter, past } = await run(false)
    expect(downloaded).toEqual({ failed: 0, reason: null })
    expect(meter.appBytes).toBe(4000)
    expect(past).toHaveLength(11)
  })

  test('and nothing else past it: a failure with the address', async () => {
    const { downloaded, meter } = await run(true)
    expect(downloaded.failed).toBe(11)
    expect(downloaded.reason).toMatch(
      /bytes.* instead of 100: http:\/\/(one|two).test\/size\/100\/3\d?$/,
    )
    expect(meter.appBytes).toBe(2900)
  })
})
