import { describe, expect, test } from 'bun:test'
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync } from 'node:zlib'
import { acceptedEncoding, compress, heldBytesMax } from './compression.ts'

const text = JSON.stringify({ rows: Array.from({ length: 200 }, (_, n) => ({ n, name: 'row' })) })
const ask = (encoding: string, method = 'GET') =>
  new Request('http://localhost/api/x', { method, headers: { 'Accept-Encoding': encoding } })
const json = (body = text, headers: Record<string, string> = {}) =>
  new Response(body, { headers: { 'Content-Type': 'application/json', ETag: '"a"', ...headers } })

describe('acceptedEncoding', () => {
  test.each([
    ['br, gzip', 'br'],
    ['gzip;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
    ['br;q=0', null],
  ])('%s', (header, expected) => expect(acceptedEncoding(header)).toBe(expected as 'br' | null))
})

describe('compress', () => {
  test('brotli and gzip restore the same text', async () => {
    const br = await compress(ask('br'), json())
    const gz = await compress(ask('gzip'), json())
    expect(br.headers.get('Content-Encoding')).toBe('br')
    expect(br.headers.get('ETag')).toBe('W/"a"')
    expect(br.headers.get('Vary')).toBe('Accept-Encoding')
    expect(brotliDecompressSync(await br.arrayBuffer()).toString()).toBe(text)
    expect(gunzipSync(await gz.arrayBuffer()).toString()).toBe(text)
  })

  test.each([heldBytesMax, 2 * heldBytesMax])(
    '%i bytes are compressed with the quickest quality of brotli',
    async (size) => {
      const content = text.repeat(Math.ceil(size / text.length)).slice(0, size)
      const answer = await compress(ask('br'), json(content))
      const sizeOf = (quality: number) =>
        brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
          .length
      const { byteLength } = await answer.arrayBuffer()
      expect(byteLength).toBeGreaterThan(0.9 * sizeOf(1))
      expect(byteLength).toBeGreaterThan(1.1 * sizeOf(2))
    },
  )

  test.each([
    ['small answers', ask('br'), json('{"a":1}')],
    ['streams', ask('br'), json(text, { 'Content-Encoding': 'identity' })],
    ['pictures', ask('br'), json(text, { 'Content-Type': 'image/png' })],
    ['HEAD', ask('br', 'HEAD'), json()],
    ['nobody asked', ask('identity'), json()],
  ])('%s stay uncompressed', async (_, request, response) => {
    const answer = await compress(request, response)
    expect(['identity', null]).toContain(answer.headers.get('Content-Encoding'))
  })

  /** An endless response of lines; `bytes` counts those read so far. */
  function endless() {
    const seen = { bytes: 0 }
    const cancelled = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        // Random text, so that compressed bytes appear soon.
        const chunk = Buffer.from(crypto.getRandomValues(new Uint8Array(8192))).toString('base64')
        seen.bytes += chunk.length
        controller.enqueue(Buffer.from(chunk))
      },
      cancel: () => cancelled.resolve(),
    })
    const response = new Response(body, { headers: { 'Content-Type': 'text/plain' } })
    return { seen, response, cancelled: cancelled.promise }
  }

  test.each(['br', 'gzip'])(
    'a large response is compressed (%s) while being sent',
    async (encoding) => {
      const { seen, response, cancelled } = endless()
      const answer = await compress(ask(encoding), response)
      expect(answer.headers.get('Content-Encoding')).toBe(encoding)
      expect(answer.headers.has('Content-Length')).toBe(false)
      expect(seen.bytes).toBeLessThan(2 * heldBytesMax)
      const reader = answer.body?.getReader()
      expect((await reader?.read())?.value?.length).toBeGreaterThan(0)
      expect(seen.bytes).toBeLessThan(32 * heldBytesMax)
      await reader?.cancel()
      // Otherwise a disconnected caller would leave the source running.
      await cancelled
    },
  )

  test.each([heldBytesMax, heldBytesMax + 1, 5 * heldBytesMax])(
    '%i bytes are restored',
    async (size) => {
      const content = 'abcdefg '.repeat(size).slice(0, size)
      const br = await compress(ask('br'), json(content))
      const gz = await compress(ask('gzip'), json(content))
      expect(br.headers.has('Content-Length')).toBe(size <= heldBytesMax)
      expect(brotliDecompressSync(await br.arrayBuffer()).toString()).toBe(content)
      expect(gunzipSync(await gz.arrayBuffer()).toString()).toBe(content)
    },
  )
})
