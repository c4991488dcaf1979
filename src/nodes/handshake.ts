/*
 * How service and node prove their keys to each other. The form of this exchange never changes;
 * what follows it has a protocol version.
 *
 *   node     hello: protocol, version, X25519 key     in the clear
 *   service  hello: the same of the service           in the clear
 *   service  proof: its key, signature                encrypted from here on
 *   node     proof: its key, signature, a token if it joins
 *   service  verdict: the node's id and name, or why it is refused
 *
 * Both X25519 keys are made for this connection. The encryption keys come from their shared secret
 * and the hash of both hellos (HKDF), and each proof signs that hash with an Ed25519 key. So a
 * recorded exchange is of no use, a hello that was altered on its way ends the connection, and what
 * was recorded stays secret when a key is stolen later. The service proves itself first: a node
 * reveals neither its key nor its token to anybody else.
 */
import {
  createHash,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Logger } from '../core/lib/log.ts'
import type { Timers } from '../core/lib/timers.ts'
import { version } from '../core/lib/version.ts'
import type { NodeRefusal } from './contract.ts'
import { isSignedBy, publicKeyFrom, rawPublicKey, type KeyPair } from './identity.ts'
import { handshakeBytesMax, handshakeMs } from './limits.ts'
import { Link, type Wire } from './link.ts'
import { createOpener, createSealer } from './records.ts'

/** Version of what is sent over a connection; raised by every change that the one before misreads. */
export const protocolVersion = 3
const purpose = 'larder node link 1'
const keyBytes = 32

const Key = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })
const Short = Type.String({ maxLength: 200 })
const Hello = Type.Object({
  protocol: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  version: Type.String({ maxLength: 40, pattern: '^[\\w.+-]*$' }),
  key: Key,
})
const ServiceProof = Type.Object({ key: Key, signature: Short })
const NodeProof = Type.Object({ key: Key, signature: Short, token: Type.Optional(Short) })
const Verdict = Type.Union([
  Type.Object({ id: Short, name: Short }),
  Type.Object({ refused: Type.String({ maxLength: 500 }) }),
])
type Hello = Static<typeof Hello>
export type Verdict = Static<typeof Verdict>

export interface HandshakeParts {
  wire: Wire
  timers: Timers
  log: Pick<Logger, 'error'>
  keys: KeyPair
  /** For tests; those of this program otherwise. */
  protocol?: number
}

/** What the service knows of a node whose proof holds. */
export interface ProvenNode {
  publicKey: string
  token: string | null
  version: string
  /** Set when its protocol is too far from ours. */
  refusal: NodeRefusal | null
}

/** One side of a socket whose frames go through a handshake and then to the link. */
export interface Side {
  receive(frame: Uint8Array): void
  /** The socket is closed. */
  closed(): void
}

interface Opening {
  hello: Hello
  secret: KeyObject
  frame: Buffer
}

function open(protocol: number): Opening {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const hello = { protocol, version, key: rawPublicKey(publicKey) }
  return { hello, secret: privateKey, frame: Buffer.from(JSON.stringify(hello)) }
}

function readHello(frame: Uint8Array): Hello {
  if (frame.length > handshakeBytesMax) throw new RangeError('the hello is too large')
  return Value.Decode(Hello, JSON.parse(Buffer.from(frame).toString()))
}

/** Neighbouring versions of the protocol understand each other. */
export function refusalOf(node: number, service: number): NodeRefusal | null {
  if (Math.abs(node - service) <= 1) return null
  return node < service ? 'nodeTooOld' : 'serviceTooOld'
}

/** The key of each direction, and the text that each side signs. */
function agree(
  { secret }: Opening,
  other: Hello,
  hellos: readonly [node: Uint8Array, service: Uint8Array],
) {
  const hash = createHash('sha256')
  for (const hello of hellos) hash.update(createHash('sha256').update(hello).digest())
  const salt = hash.digest()
  // Throws for keys of which every secret is zero.
  const shared = diffieHellman({
    privateKey: secret,
    publicKey: publicKeyFrom('X25519', other.key),
  })
  const keys = Buffer.from(hkdfSync('sha256', shared, salt, purpose, 2 * keyBytes))
  return {
    fromNode: keys.subarray(0, keyBytes),
    fromService: keys.subarray(keyBytes),
    signedBy: (side: 'node' | 'service') =>
      Buffer.concat([Buffer.from(`${purpose} ${side}`), salt]),
  }
}

const proofOf = (keys: KeyPair, text: Buffer) => ({
  key: keys.publicKey,
  signature: keys.sign(text).toString('base64url'),
})

function checkProof(proof: { key: string; signature: string }, text: Buffer): void {
  const signature = Buffer.from(proof.signature, 'base64url')
  if (!isSignedBy(proof.key, text, signature)) throw new Error('the signature is wrong')
}

/** What both sides do alike: the first frame makes the link, and everything has to be in time. */
function createSide(
  { wire, timers }: HandshakeParts,
  begin: (frame: Uint8Array) => Link,
  failed: (reason: string) => void,
): Side & { finish(link: Link): void } {
  let link: Link | null = null
  let isOver = false
  function fail(reason: string): void {
    if (isOver) return
    isOver = true
    cancel()
    if (link === null) wire.close(reason)
    else link.close(reason)
    failed(reason)
  }
  const cancel = timers.after(handshakeMs, () => fail('the handshake took too long'))
  return {
    receive(frame) {
      if (link !== null) return link.receive(frame)
      if (isOver) return
      try {
        link = begin(frame)
        link.onEnd = fail
      } catch {
        fail('the handshake failed')
      }
    },
    closed: () => (link === null ? fail('the connection was lost') : link.closed()),
    finish(done) {
      isOver = true
      cancel()
      // Nobody is judged twice.
      done.onMessage = () => {}
      done.prove()
    },
  }
}

export interface ServiceHandshake extends HandshakeParts {
  /** Whether the node may connect; the answer is sent to it. */
  judge(node: ProvenNode): Verdict
  /** Called once if it may. */
  connected(node: ProvenNode, link: Link): void
}

/** The service's side: a socket that was just opened. */
export function acceptNode(parts: ServiceHandshake): Side {
  const { keys, protocol = protocolVersion } = parts
  const own = open(protocol)
  const side = createSide(
    parts,
    (frame) => {
      const hello = readHello(frame)
      const agreed = agree(own, hello, [frame, own.frame])
      const link = new Link({
        ...parts,
        seal: createSealer(agreed.fromService),
        open: createOpener(agreed.fromNode),
      })
      link.onMessage = (message) => {
        const { key, signature, token = null } = Value.Decode(NodeProof, message)
        checkProof(
          { key, signature },
          Buffer.concat([agreed.signedBy('node'), Buffer.from(keys.publicKey)]),
        )
        const refusal = refusalOf(hello.protocol, protocol)
        const node = { publicKey: key, token, version: hello.version, refusal }
        const verdict = parts.judge(node)
        link.send(verdict)
        if ('refused' in verdict) return link.close(verdict.refused)
        side.finish(link)
        parts.connected(node, link)
      }
      parts.wire.send(own.frame)
      link.send(proofOf(keys, agreed.signedBy('service')))
      return link
    },
    () => {},
  )
  return side
}

export interface NodeHandshake extends HandshakeParts {
  /** The only service that it talks to. */
  servicePublicKey: string
  token: string | null
  connected(verdict: { id: string; name: string }, link: Link): void
  /** The service refused it, or the handshake failed; called at most once. */
  failed: (reason: string) => void
}

/** The node's side; it speaks first. */
export function greetService(parts: NodeHandshake): Side {
  const { keys, servicePublicKey, token, protocol = protocolVersion } = parts
  const own = open(protocol)
  const side = createSide(
    parts,
    (frame) => {
      const hello = readHello(frame)
      const agreed = agree(own, hello, [own.frame, frame])
      const link = new Link({
        ...parts,
        seal: createSealer(agreed.fromNode),
        open: createOpener(agreed.fromService),
      })
      link.onMessage = (message) => {
        const proof = Value.Decode(ServiceProof, message)
        if (proof.key !== servicePublicKey) throw new Error('this is another service')
        checkProof(proof, agreed.signedBy('service'))
        link.onMessage = (answer) => {
          const verdict = Value.Decode(Verdict, answer)
          if ('refused' in verdict) return link.close(verdict.refused)
          side.finish(link)
          parts.connected(verdict, link)
        }
        const text = Buffer.concat([agreed.signedBy('node'), Buffer.from(servicePublicKey)])
        link.send({ ...proofOf(keys, text), ...(token !== null && { token }) })
      }
      return link
    },
    parts.failed,
  )
  parts.wire.send(own.frame)
  return side
}
