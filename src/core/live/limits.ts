import type { ShareLimits } from '../lib/shares.ts'

/** Sockets connected at one time. */
export const connectionLimits = {
  total: 1_000,
  guests: 800,
  /** A browser with many tabs. */
  perSession: 32,
  /** All guests behind a proxy that is not trusted have one address. */
  perAddress: 256,
} as const satisfies ShareLimits
/** Frames that a client may send at once, and how many more per second. */
export const frameBurst = 100
export const framesPerSecond = 20
/** Above this much unsent data, frames that a later one replaces are held back. */
export const holdBackBytes = 64 * 1024
/** Above this much unsent data a client is too slow and is disconnected. */
export const unsentBytesMax = 1024 * 1024
/** How long a disconnected client has to take the close frame before its socket is cut. */
export const cutAfterMs = 5_000
/** How often the sessions of open sockets are checked again. */
export const sessionCheckMs = 15_000

export const closeCodes = {
  goingAway: 1001,
  tooMany: 1008,
  tooSlow: 1013,
  sessionOver: 4001,
} as const

/** For the server's `websocket` option. The server sends pings; a dead client times out. */
export const socketOptions = {
  /** Largest frame from a client or a node, in bytes; a larger one closes the socket. */
  maxPayloadLength: 16 * 1024,
  /** Seconds without a frame or a pong. */
  idleTimeout: 60,
  sendPings: true,
  // Well above what hub and nodes allow, so that they decide and not the transport.
  backpressureLimit: 32 * 1024 * 1024,
  closeOnBackpressureLimit: false,
  perMessageDeflate: false,
} as const
