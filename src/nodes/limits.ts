/** Largest message, in bytes as encoded. */
export const messageBytesMax = 64 * 1024 * 1024
/** Largest message before both sides have proven their keys. */
export const handshakeBytesMax = 2 * 1024
/** More unsent bytes than this, and `send` refuses another message. */
export const queuedBytesMax = 80 * 1024 * 1024
/** Unsent bytes that the socket holds; the rest waits here, so that urgent messages overtake it. */
export const socketBytesMax = 256 * 1024
/** How often a full socket is asked again. */
export const drainMs = 10
/** Content of one record; longer messages take several. A record is one frame of the socket. */
export const recordBytesMax = 16 * 1024 - 32
/** Each side sends something at least this often. */
export const heartbeatMs = 10_000
/** Heartbeats that may be missing: a peer that is silent for 40 seconds is gone. */
export const missedHeartbeatsMax = 3
/** From the first byte to both proofs. */
export const handshakeMs = 20_000
/** Delays before a node connects again. */
export const reconnectMs = { first: 1_000, last: 60_000 }
/** Connections that have not proven a key: at once, of one address, and per minute of one. */
export const unprovenLimits = { total: 16, perAddress: 4, perMinute: 60 }
/** How long a token for joining is valid. */
export const tokenMs = 20 * 60_000
/** Far more than a site has. */
export const nodesMax = 100
