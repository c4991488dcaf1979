import { describe, expect, test } from 'bun:test'
import { isPrivateAddress, networkMatcher, normalAddress } from './address.ts'

describe('normalises addresses', () => {
  test.each([
    ['10.0.0.5', '10.0.0.5'],
    [' 10.0.0.5\t', '10.0.0.5'],
    ['::ffff:10.0.0.5', '10.0.0.5'],
    ['::FFFF:0a00:0005', '10.0.0.5'],
    ['FD00:0:0:0::0001', 'fd00::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['2001:DB8::10', '2001:db8::10'],
  ])('%s becomes %s', (text, expected) => {
    expect(normalAddress(text)).toBe(expected)
  })

  test.each([
    '',
    '10.1',
    '10.0.0.256',
    '10.0.0.5:80',
    '[::1]',
    '10.0.0.0/8',
    '0x7f.0.0.1',
    '1'.repeat(100),
    'pc.lan',
    ':::',
  ])('%p is not an address', (text) => {
    expect(normalAddress(text)).toBeNull()
  })
})

test('recognises the private networks of homes', () => {
  const yes = ['10.1.2.3', '172.31.0.1', '192.168.0.9', 'fd00::1', 'fe80::1', '::ffff:10.0.0.1']
  const no = ['8.8.8.8', '127.0.0.1', '::1', '172.32.0.1', '2001:4860::1', '0.0.0.0', 'pc.lan']
  expect(yes.filter((text) => !isPrivateAddress(text))).toEqual([])
  expect(no.filter((text) => isPrivateAddress(text))).toEqual([])
})

describe('networks', () => {
  const isInside = networkMatcher(['10.0.0.5', '192.168.4.0/24', 'fd00::/16', '::1'])
  test.each([
    ['10.0.0.5', true],
    ['::ffff:10.0.0.5', true],
    ['10.0.0.6', false],
    ['192.168.4.200', true],
    ['192.168.5.1', false],
    ['fd00::28', true],
    ['fe80::1', false],
    ['::1', true],
    ['no address', false],
  ])('%s: %p', (address, expected) => {
    expect(isInside(address)).toBe(expected)
  })
})
