import { describe, expect, test } from 'bun:test'
import { testServer } from '../../../test/support/test-server.ts'
import { isForbiddenAddress } from './chosen-address.ts'
import { createOutside } from './outside.ts'

describe('an address that is called for a user', () => {
  test.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '::169.254.169.254',
    'fe80::1%eth0',
    'fd00:ec2::254',
    '100.100.100.200',
    '::ffff:100.100.100.200',
    '224.0.0.1',
  ])('%s is refused', (address) => expect(isForbiddenAddress(address)).toBe(true))

  test.each(['127.0.0.1', '::1', '10.0.0.9', 'fd00::9', '64:ff9b::8.8.8.8', 'broker.lan'])(
    '%s is not refused',
    (address) => expect(isForbiddenAddress(address)).toBe(false),
  )
})

describe('a request for a user', () => {
  const hosts: string[] = []
  const server = testServer((request) => {
    hosts.push(request.headers.get('host') ?? '')
    const { pathname } = new URL(request.url)
    return pathname === '/away' ? Response.redirect(`${server.url}/there`) : new Response('here')
  })
  const { port } = new URL(server.url)
  const ask = (path: string, answers: string[][]) => {
    const resolve = () => Promise.resolve(answers.shift() ?? [])
    return createOutside({ gapMs: 0, resolve }).get(
      { url: `http://hook.test:${port}${path}`, timeoutMs: 60_000, attempts: 1, isChosen: true },
      (response) => response.text(),
    )
  }

  test('goes to the address that was judged, and only that one is asked for', async () => {
    const answers = [['127.0.0.1'], ['169.254.169.254']]
    expect(await ask('/', answers)).toBe('here')
    expect([hosts.at(-1), answers.length]).toEqual([`hook.test:${port}`, 1])
  })

  test.each([[['169.254.169.254']], [['127.0.0.1', '64:ff9b::a9fe:a9fe']]])(
    'to a name that leads to %j is not sent',
    async (found) => {
      const before = hosts.length
      const reason = `hook.test leads to an address that is not allowed`
      const asked = ask('/', [found])
      expect(asked).rejects.toThrow(reason)
      await asked.catch(() => {})
      expect(hosts.length).toBe(before)
    },
  )

  test('follows no redirect', async () => {
    const before = hosts.length
    const asked = ask('/away', [['127.0.0.1']])
    expect(asked).rejects.toThrow('redirects to another address')
    await asked.catch(() => {})
    expect(hosts.length).toBe(before + 1)
  })
})
