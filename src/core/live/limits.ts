/** Sockets connected at one time, over all sessions. */
export const connectionsMax = 1_000
/** Sockets of one guest session: a browser with many tabs. */
export const connectionsPerGuestMax = 32
/** Above this much unsent data, frames that a later one replaces are held back. */
export const holdBackBytes = 64 * 1024
/** Above this much unsent data a client is too slow and is disconnected. */
export const unsentBytesMax = 1024 * 1024
/** How long a disconnected client has to take the close frame before its socket is cut. */
export const cutAfterMs = 5_000
/** How often the sessions of open sockets are checked again. */
export const sessionCheckMs = 15_000

export const closeCodes = { goingAway: 1001, tooSlow: 1013, sessionOver: 4001 } as const

/** For the server's `websocket` option. The server sends pings; a dead client times out. */
export const socketOptions = {
  /** Largest frame from a client, in bytes; a larger one closes the socket. */
  maxPayloadLength: 4 * 1024,
  /** Seconds without a frame or a pong. */
  idleTimeout: 60,
  sendPings: true,
  // Well above `unsentBytesMax`, so that the hub decides and not the transport.
  backpressureLimit: 8 * 1024 * 1024,
  closeOnBackpressureLimit: false,
  perMessageDeflate: false,
} as const
