import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { BackOff } from '../core/lib/back-off.ts'
import { readSecretFile, writeSecretFile } from '../core/lib/secret-file.ts'
import { systemTimers, type Timers } from '../core/lib/timers.ts'
import { cutAfterMs } from '../core/live/limits.ts'
import {
  socketPath,
  type ConnectNodeOptions,
  type NodeConnection,
  type NodeIdentity,
} from './contract.ts'
import { greetService, type Side } from './handshake.ts'
import { keyPairFrom, makePrivateKey, type KeyPair } from './identity.ts'
import { handshakeMs, reconnectMs } from './limits.ts'
import type { Link, Wire } from './link.ts'
import { hashOf, serviceOf } from './token.ts'

/** `security/node.json` of the node's data folder. */
const Stored = Type.Object({
  privateKey: Type.String(),
  /** The public key of the service that it joins or has joined. */
  service: Type.String(),
  /** SHA-256 of the token that it joined with last. */
  usedToken: Type.Union([Type.String(), Type.Null()]),
})
type Stored = Static<typeof Stored>

/** A node without a service cannot start; the message says what to do. */
export class NotJoined extends Error {}

const askForToken =
  'Create a token on the page Nodes of the dashboard and start the node with it in Node__Token'

interface Identity {
  keys: KeyPair
  service: string
  /** To be sent until it was used. */
  token: string | null
  joined(): void
}

/** The identity in the data folder, made or changed by a token that was not used yet. */
function openIdentity({ dataPath, token }: ConnectNodeOptions): Identity {
  const path = join(dataPath, 'security', 'node.json')
  const text = readSecretFile(path)
  const stored = text === null ? null : Value.Decode(Stored, JSON.parse(text))
  const write = (values: Stored) => writeSecretFile(path, JSON.stringify(values))
  const usedToken = token === null ? null : hashOf(token)
  if (token !== null && usedToken !== stored?.usedToken) {
    const service = serviceOf(token)
    if (service === null) throw new NotJoined(`The token is incomplete. ${askForToken}.`)
    const privateKey = stored?.privateKey ?? makePrivateKey()
    // Before it is sent: if the answer is lost, the node comes back with the same key.
    write({ privateKey, service, usedToken: stored?.usedToken ?? null })
    const joined = () => write({ privateKey, service, usedToken })
    return { keys: keyPairFrom(privateKey), service, token, joined }
  }
  if (stored === null) throw new NotJoined(`This node has not joined yet. ${askForToken}.`)
  const { privateKey, service } = stored
  return { keys: keyPairFrom(privateKey), service, token: null, joined: () => {} }
}

/** Address of the service's socket. */
function socketUrl(serviceUrl: string): string {
  const url = new URL(socketPath, serviceUrl)
  url.protocol = url.protocol.replace('http', 'ws')
  return url.href
}

const wireOf = (socket: WebSocket, timers: Timers): Wire => ({
  send(frame) {
    socket.send(frame)
    return socket.readyState === WebSocket.OPEN
  },
  bufferedBytes: () => socket.bufferedAmount,
  close() {
    // What was sent before is still delivered, if the service takes it in time.
    socket.close()
    timers.after(cutAfterMs, () => socket.terminate())
  },
})

interface Dial {
  url: string
  timers: Timers
  greet: (wire: Wire) => Side
  /** Called once, whether or not the socket was ever open. */
  closed: (problem: string) => void
}

function openSocket({ url, timers, greet, closed }: Dial): WebSocket {
  const socket = new WebSocket(url)
  socket.binaryType = 'nodebuffer'
  let side: Side | null = null
  let problem = 'the service does not answer'
  const cancel = timers.after(handshakeMs, () => {
    if (side === null) socket.terminate()
  })
  socket.addEventListener('open', () => (side = greet(wireOf(socket, timers))))
  socket.addEventListener('message', ({ data }) =>
    side?.receive(data instanceof Uint8Array ? data : new Uint8Array()),
  )
  socket.addEventListener('error', (event) => {
    if (event instanceof ErrorEvent && event.message !== '') problem = event.message
  })
  socket.addEventListener('close', () => {
    cancel()
    side?.closed()
    closed(problem)
  })
  return socket
}

/**
 * Keeps one connection to the service open. Throws NotJoined when the node has neither an identity
 * nor a token.
 */
export function connectNode(options: ConnectNodeOptions): NodeConnection {
  const { log, onConnect, serviceUrl, timers = systemTimers } = options
  const { keys, service, ...identity } = openIdentity(options)
  const backOff = new BackOff(reconnectMs.first, reconnectMs.last)
  const url = socketUrl(serviceUrl)
  let { token } = identity
  let problem: string | null = null
  let link: Link | null = null
  let socket: WebSocket | null = null
  let isStopped = false
  let cancel = () => {}

  function connected(node: NodeIdentity, opened: Link): void {
    if (token !== null) identity.joined()
    token = null
    problem = null
    link = opened
    backOff.reset()
    log.info({ node: node.name }, 'connected to the service')
    onConnect(node, opened)
  }

  function dial(): void {
    let reason: string | null = null
    const note = (why: string) => {
      reason = why
      link = null
    }
    const greet = (wire: Wire) =>
      greetService({
        wire,
        timers,
        log,
        keys,
        token,
        servicePublicKey: service,
        connected(node, opened) {
          opened.onEnd = note
          connected(node, opened)
        },
        failed: note,
      })
    const closed = (fault: string) => {
      // Logged once per reason: it is tried again and again.
      const now = reason ?? fault
      if (now !== problem && !isStopped) log.warn({ serviceUrl, reason: now }, 'not connected')
      problem = now
      if (!isStopped) cancel = timers.after(backOff.next(), dial)
    }
    socket = openSocket({ url, timers, greet, closed })
  }

  dial()
  return {
    problem: () => problem,
    stop() {
      isStopped = true
      cancel()
      if (link === null) socket?.terminate()
      else link.close('the node stops')
    },
  }
}
