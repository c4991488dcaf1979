import type { Platform } from '../platforms.ts'
import { TransportError, type DaemonAddress, type Transport } from './contract.ts'

interface Outside {
  address: DaemonAddress
  secret: string | null
}

const nameOf = (address: DaemonAddress): string =>
  address.kind === 'unix' ? address.path : `${address.host}:${address.port}`

/** A daemon that someone else starts and stops: all sessions of the platform share it. */
export function outsideTransport({ address, secret }: Outside): Transport {
  const running = (platform: Platform, sessionId: string) => ({
    platform,
    sessionId,
    name: nameOf(address),
    containerId: null,
    address,
    secret,
    cache: { address: null, source: 'none' } as const,
  })
  return {
    kind: 'outside',
    isShared: true,
    outlivesService: false,
    isAvailable: async () => true,
    async start({ platform, sessionId }, signal) {
      if (signal.aborted) throw new TransportError('failed', 'The start was cancelled')
      return running(platform, sessionId)
    },
    async remove() {},
    adopt: async () => [],
    removeLogin: async () => 'NotFound',
    async stop() {},
  }
}
