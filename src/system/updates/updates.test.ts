import { beforeEach, expect, test } from 'bun:test'
import { atEnd } from '../../../test/support/cleanup.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { reportApp, type ReportApp } from '../../../test/support/report-app.ts'
import { version } from '../../core/lib/version.ts'
import type { Updates } from './model.ts'

const path = '/api/ext/updates'
let app: ReportApp
let asked = 0
let answer = (): Response => Response.json({})
const site = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => {
    asked++
    return answer()
  },
})
atEnd(() => site.stop(true))
const address = `http://127.0.0.1:${site.port}/latest`

beforeEach(async () => {
  app = await reportApp()
  asked = 0
})

const view = async () => (await app.read(path, 'user')) as Updates
const set = (body: object) => app.send('PUT', path, 'admin', body)
const check = async () => (await app.send('POST', `${path}/check`, 'admin')).status
const run = () => app.send('POST', '/api/system/schedules/updateCheck/run', 'user')

test('nothing is asked without consent, by hand, on schedule or after it was taken back', async () => {
  answer = () => Response.json({ tag_name: 'v99.0.0' })
  app.deps.settings.set('setup.isCompleted', true)
  app.deps.schedules.start()
  expect(await view()).toEqual({
    address: null,
    isAllowed: false,
    current: version,
    isAvailable: false,
    last: null,
  })
  expect((await set({ address: null, isAllowed: true })).status).toBe(400)
  const withoutConsent = [
    { address, isAllowed: false },
    { address: null, isAllowed: false },
  ]
  for (const body of withoutConsent) {
    expect((await set(body)).status).toBe(200)
    expect(await check()).toBe(409)
    await run()
    await app.time.skip(25 * 3_600_000)
  }
  await set({ address, isAllowed: true })
  await set({ address, isAllowed: false })
  await app.time.skip(25 * 3_600_000)
  expect(await check()).toBe(409)
  expect(asked).toBe(0)
})

test.each([
  [{ tag_name: 'v99.1.0', html_url: 'https://releases.example.org/99' }, '99.1.0', true],
  [{ version: '0.0.1' }, '0.0.1', false],
  [{ version }, version, false],
  [{ version: `${version}-rc.1` }, `${version}-rc.1`, false],
])('%j is judged against what runs', async (release, newest, isAvailable) => {
  answer = () => Response.json(release)
  await set({ address, isAllowed: true })
  expect(await check()).toBe(200)
  const url = 'html_url' in release ? release.html_url : null
  expect(await view()).toMatchObject({ isAvailable, last: { version: newest, url, error: null } })
})

test.each([
  ['no JSON', () => new Response('<html>'), 'The answer is not JSON'],
  ['no version', () => Response.json([1]), 'The answer names no version'],
  [
    'a foreign version',
    () => Response.json({ tag_name: 'nightly' }),
    'The answer names no version',
  ],
  [
    'a script as its page',
    () => Response.json({ version: '99.0.0', html_url: 'javascript:x' }),
    null,
  ],
  ['an error', () => new Response('', { status: 404 }), expect.stringContaining('404')],
])('%s changes nothing else', async (_name, bad, error) => {
  answer = bad
  await set({ address, isAllowed: true })
  expect(await check()).toBe(200)
  expect((await view()).last).toMatchObject({ url: null, error })
})

test('it is listed and asked daily once allowed; another address forgets the answer', async () => {
  answer = () => Response.json({ tag_name: 'v99.0.0' })
  await set({ address, isAllowed: true })
  expect(await app.read('/api/system/schedules', 'user')).toContainEqual(
    expect.objectContaining({ key: 'updateCheck', intervalHours: 24 }),
  )
  await run()
  await eventually(async () => (await view()).isAvailable, 'the answer is there')
  await set({ address: `${address}/other`, isAllowed: true })
  expect(await view()).toMatchObject({ isAvailable: false, last: null })
})
