import { beforeEach, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import { testServer } from '../../../test/support/test-server.ts'
import { createGeoLookup, nowhere } from './lookup.ts'

let answer: () => Response
const asked: string[] = []

const { url } = testServer((request) => {
  asked.push(new URL(request.url).pathname)
  return answer()
})
beforeEach(() => void asked.splice(0))

const berlin = () =>
  Response.json({
    success: true,
    ip: '203.0.113.80',
    country: 'Germany',
    country_code: 'DE',
    region: 'Berlin',
    city: 'Berlin',
    timezone: { id: 'Europe/Berlin' },
    connection: { isp: 'x'.repeat(500) },
  })
const place = {
  publicIp: '203.0.113.80',
  countryCode: 'DE',
  country: 'Germany',
  region: 'Berlin',
  city: 'Berlin',
  timezone: 'Europe/Berlin',
  isp: 'x'.repeat(100),
}

test('looks an address up once a day', async () => {
  const time = new ManualTime()
  const geo = createGeoLookup(`${url}/base/`, { clock: time, log: quietLog })
  answer = berlin
  const both = await Promise.all([geo.find('203.0.113.80'), geo.find('203.0.113.80')])
  expect(both).toEqual([place, place])
  expect(asked).toEqual(['/base/203.0.113.80'])
  await time.advance(24 * 3_600_000)
  await geo.find('203.0.113.80')
  expect(asked).toHaveLength(2)
})

test.each([
  ['an error', () => new Response('no', { status: 500 })],
  ['a refusal', () => Response.json({ success: false, message: 'limit' })],
  ['another form', () => Response.json({ success: true, ip: 7 })],
  ['a redirect', () => Response.redirect('http://127.0.0.1:1/')],
])('%s leaves everything empty and is not retried immediately', async (_, reply) => {
  const time = new ManualTime()
  const geo = createGeoLookup(url, { clock: time, log: quietLog })
  answer = reply
  expect(await geo.find(null)).toEqual({ ...nowhere })
  await geo.find(null)
  expect(asked).toEqual(['/'])
  answer = berlin
  await time.advance(10 * 60_000)
  expect(await geo.find(null)).toEqual(place)
})

test('when enabled, a session has a location', async () => {
  answer = berlin
  const app = await testApp({
    environment: { Geo__Enabled: 'true', Geo__BaseUrl: url },
  })
  const owner = await signInOwner(app)
  const response = await owner.post('/api/sessions/me/client-info', { language: 'de' })
  expect(await response.json()).toEqual({ success: true, ...place })
  const { sessions } = (await (await owner.get('/api/sessions')).json()) as { sessions: object[] }
  expect(sessions[0]).toMatchObject({ countryName: 'Germany', publicIpAddress: '203.0.113.80' })
  await app.stop()
})
