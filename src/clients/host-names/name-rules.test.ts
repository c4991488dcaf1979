import { describe, expect, test } from 'bun:test'
import { clientName, dnsName } from './name-rules.ts'

describe('DNS names', () => {
  test.each([
    ['pc', 'pc'],
    [' Gaming-PC.lan. ', 'Gaming-PC.lan'],
    ['_srv.box_1.home.arpa', '_srv.box_1.home.arpa'],
    ['3ds.lan', '3ds.lan'],
    [`${'a'.repeat(63)}.lan`, `${'a'.repeat(63)}.lan`],
  ])('%p', (text, expected) => {
    expect(dnsName(text)).toBe(expected)
  })

  test.each([
    '',
    '.',
    '..',
    'a..b',
    '-pc',
    'pc-',
    'my pc',
    'küche',
    'a/b',
    '10.0.0.5',
    '10.0.0',
    '::1',
    `${'a'.repeat(64)}.lan`,
    `${'a.'.repeat(127)}a`,
    '<script>',
  ])('%p is invalid', (text) => {
    expect(dnsName(text)).toBeNull()
  })
})

test('names invented by container runtimes are rejected', () => {
  expect(clientName('pc.lan.')).toBe('pc.lan')
  for (const text of ['host.docker.internal', 'x.DOCKER.internal.', '5.0.0.10.in-addr.arpa']) {
    expect(clientName(text)).toBeNull()
  }
})
