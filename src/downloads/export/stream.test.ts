import { expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { bodyOf, longestMs, stalledMs } from './stream.ts'

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
