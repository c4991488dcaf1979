import { expect, test } from 'bun:test'
import { addressesIn } from './addresses.ts'
import { adviceFor } from './advice.ts'
import { testNetwork } from './run.ts'

test.each([
  [
    'nslookup of BIND',
    'Server:\t\t127.0.0.53\nAddress:\t127.0.0.53#53\n\nNon-authoritative answer:\n' +
      'Name:\tcdn.test\nAddress: 10.0.0.5\nName:\tcdn.test\nAddress: fd00::5\n',
    ['10.0.0.5', 'fd00::5'],
  ],
  [
    'nslookup of busybox',
    'Server:    172.17.0.1\nAddress 1: 172.17.0.1\n\nName:      cdn.test\n' +
      'Address 1: 10.0.0.5 cache.lan\n',
    ['10.0.0.5'],
  ],
  ['getent', '10.0.0.5      cdn.test edge.12.34.net\n', ['10.0.0.5']],
  ['ping', 'PING cdn.test (10.0.0.5): 56 data bytes\n', ['10.0.0.5']],
  ['a failure', "Server:\t1.1.1.1\nAddress:\t1.1.1.1#53\n\n** server can't find x: NXDOMAIN\n", []],
])('addresses of %s', (_, output, addresses) => {
  expect(addressesIn(output)).toEqual(addresses)
})

const missing = { exitCode: 127, output: '' }

test('a program that does not know the switch of a family leaves it open', async () => {
  const commands: string[] = []
  const result = await testNetwork('alpha', async (command) => {
    commands.push(command.join(' '))
    if (command[0] !== 'wget') return missing
    const hasSwitch = command.some((word) => word === '-4' || word === '-6')
    if (hasSwitch) return { exitCode: 1, output: 'wget: unrecognized option: 4\nUsage: wget\n' }
    return { exitCode: 0, output: '<html>' }
  })
  expect(result).toMatchObject({ internetConnectivity: true, internetConnectivityIpv4: null })
  expect(result.dnsResults.map(({ success }) => success)).toEqual([false, false])
  expect(commands[0]).toBe('wget -q -O - -T 10 https://api.steampowered.com/')
})

test('an answer that wget calls an error is enough for curl', async () => {
  const result = await testNetwork('gamma', async ([program]) =>
    program === 'curl'
      ? { exitCode: 0, output: '' }
      : { exitCode: program === 'wget' ? 8 : 2, output: 'server returned error: 403\n' },
  )
  expect(result).toMatchObject({ internetConnectivity: true, internetConnectivityIpv6: true })
})

test('a command that does not end is a failure', async () => {
  const result = await testNetwork('delta', async () => ({ exitCode: null, output: '' }))
  expect(result.internetConnectivityError).toBe('No answer in time')
  expect(result.dnsResults[0]?.error).toBe('No answer in time')
})

const fine = {
  internetConnectivity: true,
  internetConnectivityError: null,
  internetConnectivityIpv4: true,
  internetConnectivityIpv4Error: null,
  internetConnectivityIpv6: false,
  internetConnectivityIpv6Error: 'no route',
  dnsResults: [
    { domain: 'a.test', resolvedIps: ['10.0.0.5'], isPrivateIp: true, success: true, error: null },
  ],
  useHostNetworking: false,
  lancacheIpInjected: null,
  lancacheIpSource: 'none' as const,
}
const open = { ...fine.dnsResults[0], domain: 'b.test', isPrivateIp: false } as const
const failed = { ...open, success: false } as const

test.each([
  ['nothing', fine, []],
  ['no internet', { ...fine, internetConnectivity: false }, ['noInternet']],
  ['a public name', { ...fine, dnsResults: [open] }, ['dnsPublic']],
  ['a public name and a known cache', { ...fine, dnsResults: [open], lancacheIpInjected: 'x' }, []],
  ['no DNS', { ...fine, dnsResults: [failed] }, ['dnsFailed']],
  [
    'no DNS on the host',
    { ...fine, dnsResults: [failed], useHostNetworking: true },
    ['dnsFailedOnHost'],
  ],
  ['IPv6', { ...fine, internetConnectivityIpv6: true }, ['ipv6']],
])('advice for %s', (_, facts, keys) => {
  // The spread of an optional first element widens its members.
  const advice = adviceFor(facts as typeof fine)
  expect(advice.map(({ key }): string => key)).toEqual(keys as string[])
  for (const { text } of advice) expect(text).not.toContain('{')
})
