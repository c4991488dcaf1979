import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../../test/support/eventually.ts'
import { openState, type StateDatabase } from '../../../db/state/open.ts'
import { settingRules } from '../../app.ts'
import { createSettings } from '../../core/settings/settings.ts'
import { DnsServer } from '../../../test/support/dns-server.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { slowness } from '../../../test/support/slowness.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { HostNames } from './contract.ts'
import { createNames, lookedUpMax } from './create.ts'
import { failureTtlMs, nameTtlMs } from './lookups.ts'
import { pointerName } from '../../core/lib/dns-question.ts'

let first: DnsServer
let second: DnsServer
let time: ManualTime
let events: string[]
let state: StateDatabase
let root: string
/** After which a silent resolver is given up; others may take their time. */
const silentMs = 600 * slowness

beforeEach(async () => {
  first = await DnsServer.start()
  second = await DnsServer.start()
  time = new ManualTime()
  events = []
  root = tempFolder('names')
  state = openState(root)
})
afterEach(() => {
  first.stop()
  second.stop()
  state.close()
})

function names(servers = [first.address, second.address], queryMs = 60_000): HostNames {
  const settings = createSettings(state, time, settingRules)
  settings.set('clients.hasHostnames', true)
  return createNames(
    {
      config: { dns: { servers, isExclusive: true } },
      clock: time,
      settings,
      hub: { publish: (event) => void events.push(event) },
    },
    { queryMs, budgetMs: 60_000 },
  )
}

const found = async (hosts: HostNames, ...addresses: string[]) => {
  const { names, reason } = await hosts.lookUp(addresses)
  return [Object.fromEntries(names), reason] as [Record<string, string>, string]
}

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => `10.1.${index >> 8}.${index & 255}`)

describe('names of addresses', () => {
  test('are IPv4 or IPv6, looked up once per half hour', async () => {
    first.name('10.0.0.5', 'gaming-pc.lan')
    first.name('fd00::5', 'laptop.lan')
    const hosts = names()
    const expected: [Record<string, string>, string] = [
      { '10.0.0.5': 'gaming-pc.lan', 'fd00::5': 'laptop.lan' },
      'none',
    ]
    expect(await found(hosts, '10.0.0.5', 'fd00::5')).toEqual(expected)
    expect(hosts.labelOf('10.0.0.5')).toBe('gaming-pc')
    expect(hosts.labelOf('10.0.0.6')).toBeNull()
    await time.advance(nameTtlMs - 1)
    expect(await found(hosts, '10.0.0.5', 'fd00::5')).toEqual(expected)
    expect(first.asked).toHaveLength(2)
    await time.advance(1)
    expect(await found(hosts, '10.0.0.5')).toEqual([{ '10.0.0.5': 'gaming-pc.lan' }, 'none'])
    expect(first.asked).toHaveLength(3)
  })

  test('that are public or local to this machine are never looked up', async () => {
    const hosts = names()
    expect(await found(hosts, '8.8.8.8', '127.0.0.1', '2001:4860::1', 'pc')).toEqual([
      {},
      'noClients',
    ])
    hosts.prepare(['8.8.8.8'])
    first.name('10.0.0.5', 'pc.lan')
    expect(await found(hosts, '8.8.8.8', '10.0.0.5')).toEqual([{ '10.0.0.5': 'pc.lan' }, 'none'])
    expect(first.asked).toEqual([`PTR ${pointerName('10.0.0.5')}`])
  })

  test('concurrent requests for one address share a query', async () => {
    first.name('10.0.0.5', 'pc.lan')
    const hosts = names()
    await Promise.all([found(hosts, '10.0.0.5'), found(hosts, '10.0.0.5')])
    expect(first.asked).toHaveLength(1)
  })

  test('without clients or without resolvers there is a reason', async () => {
    expect(await found(names())).toEqual([{}, 'noClients'])
    expect(await found(names([]), '10.0.0.5')).toEqual([{}, 'noResolver'])
  })
})

describe('several resolvers', () => {
  test('the next is queried when one has no name; the one that answered goes first', async () => {
    second.name('10.0.0.5', 'pc.lan')
    second.name('10.0.0.6', 'tv.lan')
    const hosts = names()
    expect(await found(hosts, '10.0.0.5')).toEqual([{ '10.0.0.5': 'pc.lan' }, 'none'])
    expect(await found(hosts, '10.0.0.6')).toEqual([{ '10.0.0.6': 'tv.lan' }, 'none'])
    expect([first.asked.length, second.asked.length]).toEqual([1, 2])
  })

  test.each([
    ['a name of no use', ['abc.docker.internal']],
    ['no name at all', ['not a name']],
    ['an empty answer', []],
    ['a refusal', 'refused'],
    ['a failure', 'broken'],
    ['silence', 'silent'],
  ] as const)('%s moves on to the next', async (_, reply) => {
    if (typeof reply === 'string') first.set('PTR', pointerName('10.0.0.5'), reply)
    else first.name('10.0.0.5', ...reply)
    second.name('10.0.0.5', 'pc.lan')
    const hosts = names(undefined, reply === 'silent' ? silentMs : undefined)
    expect(await found(hosts, '10.0.0.5')).toEqual([{ '10.0.0.5': 'pc.lan' }, 'none'])
  })

  test('one that times out is skipped for a while', async () => {
    first.usual = 'silent'
    second.usual = 'none'
    const hosts = names(undefined, silentMs)
    // A question that gets no answer is sent twice.
    const asked = ({ asked: all }: DnsServer) => new Set(all).size
    for (const address of many(3)) await found(hosts, address)
    expect(asked(first)).toBe(3)
    await found(hosts, '10.0.0.9')
    expect([asked(first), asked(second)]).toEqual([3, 4])
    await time.advance(failureTtlMs)
    await found(hosts, '10.0.0.10')
    expect(asked(first)).toBe(4)
  })
})

describe('why names are missing', () => {
  test('no name: queried again after half an hour', async () => {
    const hosts = names()
    expect(await found(hosts, '10.0.0.5')).toEqual([{}, 'noRecords'])
    await time.advance(nameTtlMs - 1)
    expect(await found(hosts, '10.0.0.5')).toEqual([{}, 'noRecords'])
    expect(first.asked).toHaveLength(1)
  })

  test('no answer: queried again after five minutes', async () => {
    first.usual = 'refused'
    second.usual = 'broken'
    const hosts = names()
    expect(await found(hosts, '10.0.0.5')).toEqual([{}, 'resolverTimeout'])
    await time.advance(failureTtlMs - 1)
    expect(await found(hosts, '10.0.0.5')).toEqual([{}, 'resolverTimeout'])
    expect(first.asked).toHaveLength(1)
    await time.advance(1)
    second.name('10.0.0.5', 'pc.lan')
    expect(await found(hosts, '10.0.0.5')).toEqual([{ '10.0.0.5': 'pc.lan' }, 'none'])
  })

  test('having no name outranks a failed resolver', async () => {
    second.usual = 'refused'
    first.usual = 'refused'
    first.set('PTR', pointerName('10.0.0.6'), 'none')
    expect(await found(names(), '10.0.0.5', '10.0.0.6')).toEqual([{}, 'noRecords'])
    first.name('10.0.0.7', 'pc.lan')
    expect(await found(names(), '10.0.0.5', '10.0.0.6', '10.0.0.7')).toEqual([
      { '10.0.0.7': 'pc.lan' },
      'someUnnamed',
    ])
  })

  test('more clients than the limit', async () => {
    for (const address of many(lookedUpMax + 1)) first.name(address, 'pc.lan')
    const { names: known, reason } = await names().lookUp(many(lookedUpMax + 1))
    expect([known.size, reason]).toEqual([lookedUpMax, 'tooManyClients'])
    expect(first.asked).toHaveLength(lookedUpMax)
    expect(await names().lookUp(many(lookedUpMax))).toMatchObject({ reason: 'none' })
  })
})

describe('background lookups', () => {
  test('continue after the time limit, eight at a time, and are announced once', async () => {
    first.isHolding = true
    const addresses = many(20)
    for (const address of addresses) first.name(address, `pc-${address.replaceAll('.', '-')}`)
    const hosts = createNames(
      {
        config: { dns: { servers: [first.address], isExclusive: true } },
        clock: time,
        settings: createSettings(state, time, settingRules),
        hub: { publish: (event) => void events.push(event) },
      },
      { queryMs: 5000, budgetMs: 100 },
    )
    hosts.switchTo({ isOn: true })
    events.length = 0
    expect(await found(hosts, ...addresses)).toEqual([{}, 'stillLooking'])
    expect(first.asked).toHaveLength(8)
    expect(events).toEqual([])
    first.release()
    await eventually(() => events.length > 0, 'a change is published')
    expect(events).toEqual(['ClientHostnamesChanged'])
    const { names: known, reason } = await hosts.lookUp(addresses)
    expect([known.size, reason, first.asked.length]).toEqual([20, 'none', 20])
    expect(events).toHaveLength(1)
  })

  test('prepared names are known later; a missing name is not announced', async () => {
    first.name('10.0.0.5', 'pc.lan')
    const hosts = names()
    hosts.prepare(['10.0.0.5', '10.0.0.6'])
    await eventually(() => events.length > 0, 'a change is published')
    expect([hosts.labelOf('10.0.0.5'), hosts.labelOf('10.0.0.6')]).toEqual(['pc', null])
    hosts.prepare(['10.0.0.5', '10.0.0.6'])
    hosts.prepare(['10.0.0.7'])
    await eventually(() => second.asked.length === 2, 'both are looked up')
    await found(hosts, '10.0.0.7')
    expect(events).toHaveLength(1)
    expect(first.asked).toHaveLength(3)
  })
})

test('switching off stops queries and drops names; switching on starts afresh', async () => {
  first.name('10.0.0.5', 'pc.lan')
  const hosts = names()
  await found(hosts, '10.0.0.5')
  expect([hosts.isShownTo({ role: 'user' }), hosts.isShownTo({ role: 'guest' })]).toEqual([
    true,
    false,
  ])
  events.length = 0
  hosts.switchTo({ isOn: false })
  expect(events).toEqual(['ClientHostnamesChanged'])
  expect([hosts.labelOf('10.0.0.5'), hosts.isShownTo({ role: 'admin' })]).toEqual([null, false])
  hosts.prepare(['10.0.0.6'])
  hosts.switchTo({ isOn: true })
  expect(hosts.labelOf('10.0.0.5')).toBeNull()
  await found(hosts, '10.0.0.5')
  expect(first.asked).toHaveLength(2)
})

describe('addresses of a name', () => {
  test('of both kinds, from the first resolver that has any', async () => {
    second.set('A', 'box.lan', [
      { type: 'A', name: 'box.lan', ttl: 60, data: '10.0.0.7' },
      { type: 'A', name: 'box.lan', ttl: 60, data: '10.0.0.8' },
    ])
    second.set('AAAA', 'box.lan', [{ type: 'AAAA', name: 'box.lan', ttl: 60, data: 'fd00::7' }])
    expect(await names().resolve('box.lan')).toEqual({
      addresses: ['10.0.0.7', '10.0.0.8', 'fd00::7'],
      reason: 'none',
    })
    expect(first.asked.sort()).toEqual(['A box.lan', 'AAAA box.lan'])
  })

  test('that has none, or without an answer', async () => {
    expect(await names().resolve('box.lan')).toEqual({ addresses: [], reason: 'noRecords' })
    first.usual = 'silent'
    second.usual = 'refused'
    const expected = { addresses: [], reason: 'resolverTimeout' as const }
    expect(await names(undefined, silentMs).resolve('box.lan')).toEqual(expected)
    expect(await names([]).resolve('box.lan')).toEqual({ addresses: [], reason: 'noResolver' })
  })
})
