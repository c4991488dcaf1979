import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { testApp } from '../../../test/support/app.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

const root = tempFolder('web')
const folder = join(root, 'web')
const path = '/assets/chunk-1a2b.js'
const text = 'export const value = 1\n'.repeat(100)

await Bun.write(join(folder, path), text)
await Bun.write(join(folder, 'numbers.txt'), 'Definitions')
await Bun.write(join(folder, 'index.html'), '<!doctype html><title>Built</title>')
const app = await testApp({ environment: { WEB_PATH: folder } })

const ask = (headers: Record<string, string>, asked = path) => app.request(asked, { headers })

test('an asset has a quoted tag and is not sent again to a caller that holds it', async () => {
  const first = await ask({})
  expect(await first.text()).toBe(text)
  expect(first.headers.get('Cache-Control')).toContain('immutable')
  const tag = first.headers.get('ETag') ?? ''
  expect(tag).toMatch(/^"\w+-\w+"$/)
  const packed = await ask({ 'Accept-Encoding': 'br' })
  expect(packed.headers.get('ETag')).toBe(`W/${tag}`)
  for (const held of [tag, `W/${tag}`, `"other", W/${tag}`, '*']) {
    const again = await ask({ 'If-None-Match': held, 'Accept-Encoding': 'br' })
    expect({ held, status: again.status }).toEqual({ held, status: 304 })
    expect(again.headers.get('ETag')).toBe(tag)
    expect(await again.text()).toBe('')
  }
  for (const other of ['"other"', tag.slice(1, -1)]) {
    const again = await ask({ 'If-None-Match': other })
    expect({ other, status: again.status }).toEqual({ other, status: 200 })
  }
})

test('the copy that the build has compressed is sent to callers that accept it', async () => {
  const [plain, packed] = ['/assets/packed-1a2b.css', '/assets/packed-1a2b.css.gzip']
  await Bun.write(join(folder, plain), text)
  await Bun.write(join(folder, packed), gzipSync(text))
  const built = await testApp({ environment: { WEB_PATH: folder } })
  const answer = await built.request(plain, { headers: { 'Accept-Encoding': 'gzip' } })
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(gzipSync(text))
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-encoding': 'gzip',
    'content-type': expect.stringContaining('text/css'),
    vary: 'Accept-Encoding',
  })
  const other = await built.request(plain, { headers: { 'Accept-Encoding': 'identity' } })
  expect(await other.text()).toBe(text)
  expect(other.headers.get('ETag')).not.toBe(answer.headers.get('ETag'))
  await built.stop()
})

test('an asset of another version is not found; other paths are pages', async () => {
  expect((await ask({}, '/assets/chunk-9z8y.js')).status).toBe(404)
  expect((await ask({}, '/downloads/7')).status).toBe(200)
})

test('a file that keeps its name is compared with that of the server every time', async () => {
  const answer = await ask({}, '/numbers.txt')
  expect(answer.headers.get('Cache-Control')).toBe('no-cache')
  expect(await answer.text()).toBe('Definitions')
  const held = { 'If-None-Match': answer.headers.get('ETag') ?? '' }
  expect((await ask(held, '/numbers.txt')).status).toBe(304)
})

test('no path leads out of the folder', async () => {
  await Bun.write(join(root, 'outside.txt'), 'outside')
  for (const asked of ['/../outside.txt', '/%2e%2e%2foutside.txt', '/assets']) {
    expect(await (await ask({}, asked)).text()).toContain('Built')
  }
})

test('the page itself is no asset: it is always sent', async () => {
  const page = await ask({ 'If-None-Match': '*' }, '/index.html')
  expect(page.status).toBe(200)
  expect(page.headers.get('ETag')).toBeNull()
  expect(await page.text()).toContain('Built')
})
