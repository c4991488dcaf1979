import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testApp, type TestApp } from '../../../test/support/app.ts'

const folder = mkdtempSync(join(tmpdir(), 'larder-web-'))
const path = '/assets/chunk-1a2b.js'
const text = 'export const value = 1\n'.repeat(100)
let app: TestApp

beforeAll(async () => {
  await Bun.write(join(folder, path), text)
  await Bun.write(join(folder, 'index.html'), '<!doctype html><title>Built</title>')
  app = await testApp({ environment: { WEB_PATH: folder } })
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true })
})

const ask = (headers: Record<string, string>, asked = path) => app.request(asked, { headers })

test('an asset has a quoted tag, and is not sent again to who holds it', async () => {
  const first = await ask({})
  expect(await first.text()).toBe(text)
  expect(first.headers.get('Cache-Control')).toContain('immutable')
  const tag = first.headers.get('ETag') ?? ''
  expect(tag).toMatch(/^"[\w-]{43}"$/)
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

test('the page itself is no asset: it is always sent', async () => {
  const page = await ask({ 'If-None-Match': '*' }, '/index.html')
  expect(page.status).toBe(200)
  expect(page.headers.get('ETag')).toBeNull()
  expect(await page.text()).toContain('Built')
})
