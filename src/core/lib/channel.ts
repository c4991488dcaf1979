/**
 * One authenticated connection between the service and a node. Messages arrive once and, unless they
 * are urgent, in the order in which they were sent, or the connection ends.
 */
export interface Channel {
  /**
   * Sends a plain JSON value, which may contain `Uint8Array` and `bigint`. Throws when the channel
   * is closed, the message is too large, or too much is unsent. An urgent one may overtake others,
   * if it is small.
   */
  send(message: unknown, isUrgent?: boolean): void
  /** Set it before the caller returns to the event loop; messages arrive afterwards. */
  onMessage: (message: unknown) => void
  /** Called once, however the connection ended. */
  onClose: (reason: string) => void
  /** Tells the other side why, as far as it still listens. */
  close(reason: string): void
  /** Bytes that were sent and have not left this process. */
  readonly bufferedBytes: number
}
