/** Sockets that may be connected at one time, over all sessions. */
export const connectionsMax = 1_000
/** Sockets of one guest session: a browser with many tabs. */
export const connectionsPerGuestMax = 32
/** Above this much unsent data, frames that the next one replaces are held back. */
export const holdBackBytes = 64 * 1024
/** Above this much unsent data a client counts as too slow and is dropped. */
export const unsentBytesMax = 1024 * 1024
/** How long a dropped client has to take the close frame before its socket is cut. */
export const cutAfterMs = 5_000
/** How often the sessions of open sockets are looked at again. */
export const sessionCheckMs = 15_000

export const closeCodes = { goingAway: 1001, tooSlow: 1013, sessionOver: 4001 } as const

/** For the server's `websocket` option. Pings are sent by the server; a dead client times out. */
export const socketOptions = {
  /** Bytes of a frame from a client; more closes the socket. */
  maxPayloadLength: 4 * 1024,
  /** Seconds without a frame or a pong. */
  idleTimeout: 60,
  sendPings: true,
  // Well above `unsentBytesMax`, so that we decide and not the transport.
  backpressureLimit: 8 * 1024 * 1024,
  closeOnBackpressureLimit: false,
  perMessageDeflate: false,
} as const
