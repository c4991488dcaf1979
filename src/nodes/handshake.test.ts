import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { ManualTime } from '../../test/support/manual-time.ts'
import { quietLog } from '../../test/support/quiet-log.ts'
import { seededRandom } from '../demo/random.ts'
import { acceptNode, greetService, protocolVersion, type ProvenNode } from './handshake.ts'
import { keyPairFrom, makePrivateKey } from './identity.ts'
import { handshakeMs } from './limits.ts'
import type { Link } from './link.ts'

interface Frame {
  to: 'node' | 'service'
  bytes: Uint8Array
}

interface Options {
  /** Alters a frame on its way, or adds frames. */
  tap?: (frame: Frame, at: number) => Frame[]
  nodeProtocol?: number
  serviceProtocol?: number
  servicePublicKey?: string
  refused?: string
}

const serviceKeys = keyPairFrom(makePrivateKey())
const nodeKeys = keyPairFrom(makePrivateKey())

/** A handshake over a wire that the test controls, until both sides have nothing more to say. */
function shake({ tap = (frame) => [frame], refused, ...options }: Options = {}) {
  const time = new ManualTime()
  const queue: Frame[] = []
  const found = {
    seen: [] as ProvenNode[],
    failed: [] as string[],
    links: { node: null as Link | null, service: null as Link | null },
    closed: new Set<string>(),
    frames: [] as Frame[],
    time,
  }
  const wire = (from: 'node' | 'service') => ({
    send: (bytes: Uint8Array) =>
      queue.push({ to: from === 'node' ? 'service' : 'node', bytes: Buffer.from(bytes) }) > 0,
    bufferedBytes: () => 0,
    close: () => void found.closed.add(from),
  })
  const service = acceptNode({
    wire: wire('service'),
    timers: time,
    log: quietLog,
    keys: serviceKeys,
    protocol: options.serviceProtocol ?? protocolVersion,
    judge(node) {
      found.seen.push(node)
      const reason = refused ?? node.refusal
      return reason === null ? { id: 'id', name: 'nas' } : { refused: reason }
    },
    connected: (_node, link) => (found.links.service = link),
  })
  const node = greetService({
    wire: wire('node'),
    timers: time,
    log: quietLog,
    keys: nodeKeys,
    protocol: options.nodeProtocol ?? protocolVersion,
    servicePublicKey: options.servicePublicKey ?? serviceKeys.publicKey,
    token: 'token',
    connected: (_verdict, link) => (found.links.node = link),
    failed: (reason) => found.failed.push(reason),
  })
  for (let at = 0; queue.length > 0; at++) {
    const [frame] = queue.splice(0, 1)
    if (frame === undefined) break
    found.frames.push(frame)
    for (const { to, bytes } of tap(frame, at)) (to === 'node' ? node : service).receive(bytes)
  }
  return { ...found, service, node, queue }
}

test('both sides know each other, and messages go both ways', () => {
  const { seen, links, failed, frames } = shake()
  expect(seen).toEqual([
    { publicKey: nodeKeys.publicKey, token: 'token', version: expect.any(String), refusal: null },
  ])
  expect(failed).toEqual([])
  expect(frames.map(({ to }) => to)).toEqual(['service', 'node', 'node', 'service', 'node'])
  expect(links.node).not.toBeNull()
  expect(links.service).not.toBeNull()
})

test('nobody is judged twice over one connection', () => {
  const { seen, links, service, queue } = shake()
  links.node?.send({ key: nodeKeys.publicKey, signature: 'x', token: 'token' })
  const [sent] = queue
  expect(sent?.to).toBe('service')
  service.receive(sent?.bytes ?? new Uint8Array())
  expect(seen).toHaveLength(1)
  expect(() => links.service?.send('still open')).not.toThrow()
})

test('neither keys of sides nor tokens are readable on the wire', () => {
  const { frames } = shake()
  const text = Buffer.concat(frames.map(({ bytes }) => bytes)).toString('latin1')
  for (const secret of ['token', nodeKeys.publicKey, serviceKeys.publicKey]) {
    expect(text).not.toContain(secret)
  }
})

test('another service learns neither the key nor the token of a node', () => {
  const { seen, failed, frames } = shake({
    servicePublicKey: keyPairFrom(makePrivateKey()).publicKey,
  })
  expect(seen).toEqual([])
  expect(failed).toEqual(['a record was refused: this is another service'])
  expect(frames.filter(({ to }) => to === 'service')).toHaveLength(1)
})

test('a refused node is told why', () => {
  const { failed, links, closed } = shake({ refused: 'The node was revoked' })
  expect(failed).toEqual(['The node was revoked'])
  expect(links).toEqual({ node: null, service: null })
  expect([...closed].sort()).toEqual(['node', 'service'])
})

describe('versions of the protocol', () => {
  test.each([
    [1, 1, null],
    [1, 2, null],
    [3, 2, null],
    [1, 3, 'nodeTooOld'],
    [5, 3, 'serviceTooOld'],
  ] as const)('node %i, service %i: %p', (nodeProtocol, serviceProtocol, refusal) => {
    const { seen, failed } = shake({ nodeProtocol, serviceProtocol })
    expect(seen.map((node) => node.refusal)).toEqual([refusal])
    expect(failed).toEqual(refusal === null ? [] : [refusal])
  })
})

test('a connection that proves nothing is closed in time, and leaves no timer', async () => {
  const { time, closed, failed } = shake({ tap: () => [] })
  await time.advance(handshakeMs - 1)
  expect(closed.size).toBe(0)
  await time.advance(1)
  expect([...closed].sort()).toEqual(['node', 'service'])
  expect(failed).toEqual(['the handshake took too long'])
  expect(time.pending).toBe(0)
})

test('a recorded exchange opens no second connection', () => {
  const first = shake()
  const recorded = first.frames.filter(({ to }) => to === 'service')
  let at = 0
  const { seen, links } = shake({
    tap: (frame) => (frame.to === 'service' ? [recorded[at++] ?? frame] : [frame]),
  })
  expect(seen).toEqual([])
  expect(links.service).toBeNull()
})

test('a thousand altered exchanges connect nobody on the side that sees the change', () => {
  const random = seededRandom(31)
  for (let round = 0; round < 1000; round++) {
    const target = round % 5
    let side = ''
    const { links, seen } = shake({
      tap(frame, at) {
        if (at !== target) return [frame]
        side = frame.to
        const bytes = Buffer.from(frame.bytes)
        const index = random.between(0, bytes.length - 1)
        const kind = round % 4
        if (kind === 0) bytes[index] = (bytes[index] ?? 0) ^ (1 << random.between(0, 7))
        if (kind === 1) return [{ ...frame, bytes: bytes.subarray(0, index) }]
        if (kind === 2) return [{ ...frame, bytes: randomBytes(bytes.length) }]
        if (kind === 3) return [frame, { ...frame, bytes }]
        return [{ ...frame, bytes }]
      },
    })
    const link = side === 'node' ? links.node : links.service
    // A repeated frame ends a connection that was already made; any other change prevents it.
    if (link !== null) expect(() => link.send('x')).toThrow('closed')
    if (side === 'service' && round % 4 !== 3) expect(seen).toEqual([])
  }
})
