import { afterEach, expect, test } from 'bun:test'
import packet from 'dns-packet'
import { DnsServer } from '../../../test/support/dns-server.ts'
import { slowness } from '../../../test/support/slowness.ts'
import { askServer } from './dns-question.ts'

const name = 'many.example.com'
const addresses = Array.from({ length: 40 }, (_, index) => `10.0.0.${index}`)
let dns: DnsServer | undefined

afterEach(() => {
  dns?.stop()
  dns = undefined
})

async function serve(hasTcp: boolean): Promise<DnsServer> {
  dns = await DnsServer.start(hasTcp)
  const records = addresses.map((data) => ({ type: 'A', name, ttl: 60, data }) as const)
  dns.set('A', name, records)
  return dns
}

const ask = (server = dns?.address ?? null) =>
  askServer({ server, limitMs: 2000 * slowness }, 'A', name)

test('an answer that UDP truncates is read over TCP', async () => {
  await serve(true)
  expect(await ask()).toEqual({ kind: 'found', values: addresses })
})

test('a truncated answer without TCP is a failure, not a name without records', async () => {
  await serve(false)
  expect(await ask()).toEqual({ kind: 'failed' })
})

test('damaged answers, and those to other questions, are passed over', async () => {
  const server = await serve(false)
  server.garble = (answer) => {
    const { questions = [], ...reply } = packet.decode(answer)
    const [question] = questions
    const other = { type: 'A', name: 'other.example.com', ttl: 60, data: '10.6.6.6' } as const
    const spelled = packet.encode({
      ...reply,
      type: 'response',
      questions: question === undefined ? [] : [{ ...question, name: name.toUpperCase() }],
      answers: [{ ...other, name, data: '10.0.0.1' }],
    })
    return [
      Buffer.alloc(0),
      answer.subarray(0, 30),
      packet.encode({ ...reply, type: 'response', questions: [other], answers: [other] }),
      spelled,
    ]
  }
  expect(await ask()).toEqual({ kind: 'found', values: ['10.0.0.1'] })
})

test('an address to which no connection can be made is a failure', async () => {
  // The kernel refuses to connect to it, as it does without a route.
  expect(await ask('255.255.255.255')).toEqual({ kind: 'failed' })
})
