import { expect, test } from 'bun:test'
import { practiceOrigin } from '../../../../test/support/practice-origin.ts'
import { createBandwidth } from './bandwidth.ts'
import { createCacheClient } from './cache-client.ts'
import { fetchFile } from './fetch-file.ts'
import { createMeter } from './meter.ts'

const content = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, index) => index % 251))

function fixture(answer: () => Response) {
  const origin = practiceOrigin()
  origin.intercept(answer)
  const address = { host: '127.0.0.1', port: origin.port }
  const client = createCacheClient({ address, userAgent: null, bandwidth: createBandwidth() })
  const meter = createMeter()
  const signal = new AbortController().signal
  const fetch = (bytesMax = 1_000_000) =>
    fetchFile(
      { hosts: ['a.test', 'b.test'], target: '/file' },
      { client, signal, meter, bytesMax, bypass: 'never' },
    ).finally(() => client.close())
  return { origin, meter, fetch }
}

/** Without a length, in parts. */
const streamed = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (let at = 0; at < content.length; at += 70_000) {
          controller.enqueue(new Uint8Array(content.subarray(at, at + 70_000)))
        }
        controller.close()
      },
    }),
  )

test.each([
  ['of an announced length', () => new Response(new Uint8Array(content))],
  ['of an unknown length', streamed],
])('a file %s comes as it is', async (_name, answer) => {
  const { fetch, meter } = fixture(answer)
  expect((await fetch()).equals(content)).toBe(true)
  expect(meter.totalBytes).toBe(content.length)
})

test.each([
  ['announced', () => new Response(new Uint8Array(content))],
  ['sent', streamed],
])('a file that is too large is refused as soon as that is %s', async (_name, answer) => {
  const { fetch } = fixture(answer)
  expect(await fetch(100_000).catch(String)).toContain('/file is larger than 100000 bytes')
})

test('the next host answers for one that does not have it', async () => {
  let asked = 0
  const { fetch, origin } = fixture(() =>
    asked++ === 0 ? new Response('', { status: 404 }) : new Response('here'),
  )
  expect((await fetch()).toString()).toBe('here')
  expect(origin.content.map(({ host }) => host)).toEqual(['a.test', 'b.test'])
})
