import type { Channel } from '../../src/core/lib/channel.ts'

const bytesMark = '$bytes'

/** What is left of a message on its way to another machine. */
const transported = (message: unknown): unknown =>
  JSON.parse(
    JSON.stringify(message, (_key, value: unknown) =>
      value instanceof Uint8Array ? { [bytesMark]: [...value] } : value,
    ),
    (_key, value: unknown) => {
      const bytes =
        typeof value === 'object' && value !== null && bytesMark in value && value[bytesMark]
      return Array.isArray(bytes) ? Uint8Array.from(bytes as number[]) : value
    },
  )

class Side implements Channel {
  onMessage: (message: unknown) => void = () => {}
  onClose: (reason: string) => void = () => {}
  readonly bufferedBytes = 0
  other: Side | null = null
  isOpen = true

  send(message: unknown): void {
    if (!this.isOpen) throw new Error('the channel is closed')
    const copy = transported(message)
    setImmediate(() => {
      if (this.other?.isOpen === true) this.other.onMessage(copy)
    })
  }

  close(reason: string): void {
    for (const side of [this, this.other]) {
      if (side === null || !side.isOpen) continue
      side.isOpen = false
      setImmediate(() => side.onClose(reason))
    }
  }
}

/** Both ends of a connection between the service and a node, in this process. */
export function channelPair(): { service: Channel; node: Channel } {
  const [service, node] = [new Side(), new Side()]
  service.other = node
  node.other = service
  return { service, node }
}
