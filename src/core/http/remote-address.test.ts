import { describe, expect, test } from 'bun:test'
import { parseAddress, RemoteAddress } from './remote-address.ts'

const asking = (headers: Record<string, string> = {}) =>
  new Request('http://localhost/api/x', { headers })

function behind(peer: string | null, rules: { networks?: string[]; trustsAll?: boolean } = {}) {
  const address = new RemoteAddress({
    knownProxyNetworks: rules.networks ?? [],
    trustAllProxies: rules.trustsAll ?? false,
  })
  address.attach({ requestIP: () => (peer === null ? null : { address: peer }) })
  return address
}

test.each([
  ['::ffff:10.0.0.5', '10.0.0.5'],
  ['10.0.0.5:4711', '10.0.0.5'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['"[2001:DB8:0:0::1]"', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['1', null],
  ['0x7f.1', null],
  ['unknown', null],
  ['', null],
])('parses %p as %p', (text, expected) => {
  expect(parseAddress(text)?.toString() ?? null).toBe(expected)
})

describe('the remote address', () => {
  test.each([
    ['a stranger is believed nothing', '203.0.113.5', '10.1.1.1', '203.0.113.5'],
    ['a mapped stranger neither', '::ffff:203.0.113.5', '10.1.1.1', '203.0.113.5'],
    ['this machine is a proxy', '127.0.0.1', '10.1.1.1', '10.1.1.1'],
    ['over IPv6 too', '::1', '2001:db8::7', '2001:db8::7'],
    ['the nearest hop counts', '127.0.0.1', '10.6.6.6, 10.1.1.1', '10.1.1.1'],
    ['loopback hops are skipped', '127.0.0.1', '10.1.1.1, 127.0.0.1', '10.1.1.1'],
    ['rubbish ends the chain', '127.0.0.1', '10.6.6.6, rubbish', '127.0.0.1'],
    ['without the header', '127.0.0.1', '', '127.0.0.1'],
  ])('%s', (_, peer, forwarded, expected) => {
    const request = asking(forwarded === '' ? {} : { 'X-Forwarded-For': forwarded })
    expect(behind(peer).of(request)).toBe(expected)
  })

  test('trusts networks of proxies', () => {
    const address = behind('172.18.0.2', { networks: ['172.18.0.0/16', '2001:db8::/32'] })
    const request = asking({ 'X-Forwarded-For': '10.1.1.1, 2001:db8::5' })
    expect(address.of(request)).toBe('10.1.1.1')
  })

  test('with all proxies trusted, the first entry counts', () => {
    const address = behind('203.0.113.5', { trustsAll: true })
    expect(address.of(asking({ 'X-Forwarded-For': '10.6.6.6, 10.1.1.1' }))).toBe('10.6.6.6')
  })

  test('is null for a Unix socket', () => {
    expect(behind(null).of(asking({ 'X-Forwarded-For': '10.1.1.1' }))).toBeNull()
  })
})

describe('HTTPS', () => {
  const secure = { 'X-Forwarded-Proto': 'https' }
  test('is accepted from a proxy only', () => {
    expect(behind('127.0.0.1').isSecure(asking(secure))).toBe(true)
    expect(behind('203.0.113.5').isSecure(asking(secure))).toBe(false)
    expect(behind('127.0.0.1').isSecure(asking({ 'X-Forwarded-Proto': 'http, https' }))).toBe(false)
    expect(behind('203.0.113.5').isSecure(new Request('https://localhost/'))).toBe(true)
  })
})
