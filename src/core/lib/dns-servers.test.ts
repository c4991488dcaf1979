import { describe, expect, test } from 'bun:test'
import { readConfig } from '../config.ts'
import { gatewaysOf, networksOf, serversFor, serversMax, serverText } from './dns-servers.ts'

describe('resolvers by address', () => {
  test.each([
    ['10.0.0.1', '10.0.0.1'],
    ['10.0.0.1:5353', '10.0.0.1:5353'],
    ['fd00::1', '[fd00::1]'],
    ['[FD00::1]', '[fd00::1]'],
    ['[fd00::1]:53', '[fd00::1]:53'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
  ])('%s', (text, expected) => {
    expect(serverText(text)).toBe(expected)
  })

  test.each(['', 'router.lan', '10.0.0.1:0', '10.0.0.1:70000', '10.0.0.1:x', '10.0.0', '[::1'])(
    'rejects %p',
    (text) => {
      expect(serverText(text)).toBeNull()
    },
  )
})

test('the gateways of the default routes', () => {
  const routes = [
    'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
    'eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0',
    'eth1\t00000000\tFE01A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0',
    'eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0',
    'tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0',
    '',
  ].join('\n')
  expect(gatewaysOf(routes)).toEqual(['172.17.0.1', '192.168.1.254'])
  expect(gatewaysOf('')).toEqual([])
})

test('the networks of clients', () => {
  expect(networksOf(['10.0.0.5', 'fd00::5', '10.0.0.6', '::ffff:192.168.7.20', 'pc'])).toEqual([
    '10.0.0',
    '192.168.7',
  ])
})

describe('order of resolvers', () => {
  const networks = Array.from({ length: 20 }, (_, network) => `10.7.${network}`)

  test('configured resolvers come first, wherever they are; never more than eight', () => {
    const servers = serversFor({ servers: ['9.9.9.9', '10.7.0.1'], isExclusive: false }, networks)
    expect(servers.slice(0, 2)).toEqual(['9.9.9.9', '10.7.0.1'])
    expect(servers).toHaveLength(serversMax)
    expect(new Set(servers).size).toBe(serversMax)
    expect(
      servers.slice(2).filter((server) => !/^\[?(10|192|172|127|fd|fe80|::1)/.test(server)),
    ).toEqual([])
  })

  test('an exclusive list disables all others', () => {
    expect(serversFor({ servers: ['10.0.0.1:53'], isExclusive: true }, networks)).toEqual([
      '10.0.0.1:53',
    ])
    expect(serversFor({ servers: [], isExclusive: true }, networks)).toEqual([])
  })
})

test('the configuration accepts addresses only', () => {
  const environment = { Dns__Servers: ' 10.0.0.1, fd00::1 ,10.0.0.2:5353', Dns__OnlyServers: 'yes' }
  expect(readConfig(environment).dns).toEqual({
    servers: ['10.0.0.1', '[fd00::1]', '10.0.0.2:5353'],
    isExclusive: true,
  })
  expect(readConfig({}).dns).toEqual({ servers: [], isExclusive: false })
  expect(() => readConfig({ Dns__Servers: '10.0.0.1,router.lan' })).toThrow(
    'Dns__Servers: "router.lan" is not valid',
  )
})
