import { describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { takeTurns } from '../../core/lib/pause.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { bodyOf, longestMs, stalledMs, takingTurns } from './stream.ts'

const chunkBytes = 64 * 1024

/** An endless source that counts its chunks. */
function endless() {
  let made = 0
  const chunks = (async function* () {
    for (;;) {
      made++
      yield 'x'.repeat(chunkBytes)
    }
  })()
  return { chunks, made: () => made }
}

function parts() {
  const time = new ManualTime('2026-11-21T12:00:00.000Z')
  const source = endless()
  const controller = new AbortController()
  const ends: string[] = []
  const options = {
    signal: controller.signal,
    timers: time,
    onEnd: () => void ends.push('end'),
    abort: () => void ends.push('abort'),
  }
  return { time, source, controller, ends, body: () => bodyOf(source.chunks, options) }
}

test('chunks are produced on demand', async () => {
  const { source, body } = parts()
  const reader = body().getReader()
  for (let count = 0; count < 5; count++) await reader.read()
  expect(source.made()).toBeLessThanOrEqual(6)
  await reader.cancel()
})

test('a reader that takes nothing for a minute is disconnected', async () => {
  const { time, ends, body } = parts()
  const reader = body().getReader()
  await reader.read()
  await time.advance(stalledMs - 1)
  expect(ends).toEqual([])
  await time.advance(1)
  expect(ends).toEqual(['abort', 'end'])
  expect(reader.read()).rejects.toThrow('took too long')
})

test('a reader that takes a little every minute is disconnected after hours', async () => {
  const { time, ends, body } = parts()
  const reader = body().getReader()
  for (let passed = 0; passed + stalledMs <= longestMs; passed += stalledMs) {
    expect(ends).toEqual([])
    await reader.read()
    await time.advance(stalledMs - 1)
  }
  await time.advance(longestMs / stalledMs)
  expect(ends).toEqual(['abort', 'end'])
})

test.each(['cancel', 'signal'])('the source is closed with the reader (%s)', async (way) => {
  const { controller, ends, body } = parts()
  const reader = body().getReader()
  await reader.read()
  if (way === 'cancel') await reader.cancel()
  else controller.abort()
  expect(ends).toEqual(['abort', 'end'])
})

test('an unread connection pauses the source and then closes it', async () => {
  const { source, ends, body } = parts()
  using server = Bun.serve({ port: 0, fetch: () => new Response(body()) })
  const socket: Socket = connect({ host: '127.0.0.1', port: server.port ?? 0 })
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  let before = -1
  // It is paused when nothing was produced between two checks.
  await eventually(async () => {
    const isStill = source.made() > 0 && source.made() === before
    before = source.made()
    await Bun.sleep(50)
    return isStill
  }, 'nothing is made any more')
  // Only what both ends of the connection buffer.
  expect(source.made() * chunkBytes).toBeLessThan(64 * 1024 * 1024)
  socket.destroy()
  await eventually(() => ends.length > 0, 'the end was noticed')
  expect(ends).toEqual(['abort', 'end'])
})

describe('several exports', () => {
  /** Pages of an export, with a note of each when its reading begins and ends. */
  async function* pagesOf(name: string, count: number, notes: string[]) {
    for (let page = 1; page <= count; page++) {
      notes.push(`${name}${page} begins`)
      await takeTurns()
      notes.push(`${name}${page} ends`)
      yield `${name}${page}`
    }
  }

  test('read one page at a time, in turn, and all of them end', async () => {
    const inTurn = takingTurns(() => Promise.resolve())
    const notes: string[] = []
    const names = ['a', 'b', 'c']
    const read = await Promise.all(
      names.map((name) => Array.fromAsync(inTurn(pagesOf(name, 2, notes)))),
    )
    expect(read).toEqual(names.map((name) => [`${name}1`, `${name}2`]))
    const order = ['a1', 'b1', 'c1', 'a2', 'b2', 'c2']
    expect(notes).toEqual(order.flatMap((page) => [`${page} begins`, `${page} ends`]))
  })

  test('let the one that fails or is closed end alone', async () => {
    const inTurn = takingTurns(() => Promise.resolve())
    const failing = inTurn(
      // oxlint-disable-next-line require-yield
      (async function* () {
        throw new Error('gone')
      })(),
    )
    const closed = inTurn(pagesOf('a', 3, []))
    await closed.next()
    await closed.return(undefined)
    expect(failing.next()).rejects.toThrow('gone')
    expect(await Array.fromAsync(inTurn(pagesOf('b', 2, [])))).toEqual(['b1', 'b2'])
  })

  test('do not wait for one that takes long', async () => {
    const inTurn = takingTurns(() => Promise.resolve())
    const found = Promise.withResolvers<void>()
    const slow = Array.fromAsync(
      inTurn(
        (async function* () {
          await found.promise
          yield 'found'
        })(),
      ),
    )
    expect(await Array.fromAsync(inTurn(pagesOf('a', 2, [])))).toEqual(['a1', 'a2'])
    found.resolve()
    expect(await slow).toEqual(['found'])
  })

  test('read no page before reports are idle', async () => {
    const idle = Promise.withResolvers<void>()
    const notes: string[] = []
    const page = takingTurns(() => idle.promise)(pagesOf('a', 1, notes)).next()
    await takeTurns()
    expect(notes).toEqual([])
    idle.resolve()
    expect(await page).toEqual({ done: false, value: 'a1' })
  })
})
