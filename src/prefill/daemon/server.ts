import type net from 'node:net'
import { writeEvent, type EventType, type DaemonRequest } from '../protocol/envelopes.ts'
import { serveClient, type Client, type ClientParts } from './client.ts'
import { createHash, timingSafeEqual } from 'node:crypto'

const sha256 = (text: string): Uint8Array =>
  new Uint8Array(createHash('sha256').update(text).digest())

const refusals = {
  secret: 'Authentication failed: invalid secret',
  order: "Authentication required. Send 'auth' command with secret first.",
}

/**
 * Judges the first request of a client. The returned function gives the reason for a refusal, or
 * null. Secrets are compared in constant time, whatever their lengths.
 */
function authenticator(secret: string): (request: DaemonRequest) => string | null {
  const expected = sha256(secret)
  return ({ type, parameters }) => {
    if (type !== 'auth') return refusals.order
    const isRight = timingSafeEqual(sha256(parameters['secret'] ?? ''), expected)
    return isRight ? null : refusals.secret
  }
}

/** Connections at the same time; a manager needs two. */
const clientsMax = 64
/** Of these, so many that have not given the secret: strangers cannot lock the manager out. */
const strangersMax = 32

export interface ServerParts extends Pick<ClientParts, 'handle' | 'clock' | 'log'> {
  /** Null: every client may give commands. */
  secret: string | null
}

export function createServer({ secret, ...parts }: ServerParts) {
  const refusalOf = secret === null ? null : authenticator(secret)
  const clients = new Set<Client>()
  return {
    accept(socket: net.Socket) {
      const strangers = [...clients].filter((client) => !client.isAdmitted).length
      if (clients.size >= clientsMax || strangers >= strangersMax) {
        socket.destroy()
        return
      }
      const onClose = () => clients.delete(client)
      const client: Client = serveClient(socket, { ...parts, refusalOf, onClose })
      clients.add(client)
    },
    /** Sends an event to every client that has authenticated. */
    publish(type: EventType, data: object) {
      const admitted = [...clients].filter((client) => client.isAdmitted)
      if (admitted.length === 0) return
      const text = writeEvent(type, data, parts.clock.now())
      for (const client of admitted) client.send(text)
    },
    close() {
      for (const client of clients) client.close()
    },
  }
}
