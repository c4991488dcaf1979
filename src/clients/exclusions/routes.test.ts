import { describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { signInAs } from '../../../test/support/sign-in.ts'
import { excludedClients } from './service.ts'

const events: unknown[] = []

const app = await testApp()
const user = await signInAs(app, 'user')
const publish = app.hub.publish.bind(app.hub)
app.hub.publish = (event, data, audience) => {
  if (event === 'DownloadsRefresh') events.push(data)
  publish(event, data, audience)
}

const path = '/api/stats/exclusions'
const read = async () => (await user.get(path)).json()
const put = async (body: unknown) => {
  const response = await user.put(path, body)
  const text = await response.text()
  if (response.status !== 200) throw new Error(text)
  return JSON.parse(text)
}
const empty = { ips: [], rules: [] }

test('rules replace the whole set, normalised; the stricter of duplicates wins', async () => {
  const rules = [
    { ip: ' 10.0.0.5', mode: 'exclude' },
    { ip: '::ffff:10.0.0.6', mode: 'hide' },
    { ip: 'FD00::0001' },
    { ip: '10.0.0.7', mode: 'anything' },
    { ip: '10.0.0.8', mode: null },
    { ip: '10.0.0.5', mode: 'hide' },
    { ip: '10.0.0.6', mode: 'exclude' },
    { ip: '10.0.0.9', mode: 'Exclude' },
  ]
  events.length = 0
  const saved = await put({ ips: ['10.9.9.9'], rules })
  expect(saved).toEqual({
    ips: ['10.0.0.9'],
    rules: [
      { ip: '10.0.0.5', mode: 'hide' },
      { ip: '10.0.0.6', mode: 'hide' },
      { ip: 'fd00::1', mode: 'hide' },
      { ip: '10.0.0.7', mode: 'hide' },
      { ip: '10.0.0.8', mode: 'hide' },
      { ip: '10.0.0.9', mode: 'exclude' },
    ],
  })
  expect(await read()).toEqual(saved)
  expect(events).toEqual([{ reason: 'exclusions-updated' }])
  const hidden = ['10.0.0.5', '10.0.0.6', '10.0.0.7', '10.0.0.8', 'fd00::1']
  expect(excludedClients(app.state)).toEqual({ hidden, uncounted: [...hidden, '10.0.0.9'].sort() })
  expect(await put({ rules: [] })).toEqual(empty)
  expect(excludedClients(app.state)).toEqual({ hidden: [], uncounted: [] })
})

test('plain addresses are excluded; hidden ones stay hidden', async () => {
  await put({
    rules: [
      { ip: '10.0.0.1', mode: 'hide' },
      { ip: '10.0.0.2', mode: 'exclude' },
    ],
  })
  const saved = await put({ ips: ['10.0.0.3', '10.0.0.1', '10.0.0.3'], rules: null })
  expect(saved).toEqual({
    ips: ['10.0.0.3'],
    rules: [
      { ip: '10.0.0.1', mode: 'hide' },
      { ip: '10.0.0.3', mode: 'exclude' },
    ],
  })
  expect(await put({ ips: [] })).toMatchObject({ rules: [{ ip: '10.0.0.1', mode: 'hide' }] })
})

describe('refused rules change nothing', () => {
  test.each([
    [{ ips: ['10.0.0.1', 'pc.lan', ''] }, ['pc.lan', '']],
    [{ rules: [{ ip: '10.0.0.0/8' }] }, ['10.0.0.0/8']],
    [{}, []],
    [{ ips: null, rules: null }, []],
    [{ ips: Array.from({ length: 1001 }, (_, n) => `10.1.${n >> 8}.${n & 255}`) }, []],
  ])('%#: refused with the reason', async (body, invalidIps) => {
    const before = await read()
    const response = await user.put(path, body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: 'Invalid exclusion rules',
      message: expect.stringMatching(/\w/),
      invalidIps,
    })
    expect(await read()).toEqual(before)
  })

  test.each([[{ rules: ['10.0.0.1'] }], [{ ips: [5] }], [{ rules: [{ mode: 'hide' }] }]])(
    '%j is malformed',
    async (body) => {
      expect((await user.put(path, body)).status).toBe(400)
    },
  )
})
