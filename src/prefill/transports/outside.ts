import { lookup } from 'node:dns/promises'
import { isLoopbackAddress, normalAddress } from '../../core/lib/address.ts'
import { ownAddresses } from '../../core/lib/own-addresses.ts'
import type { Platform } from '../../platforms/platforms.ts'
import {
  TransportError,
  type DaemonAddress,
  type OutsideState,
  type Transport,
} from './contract.ts'
import { probeDaemon } from './probe.ts'

type Parts = Parameters<typeof probeDaemon>[0]

interface Outside {
  address: DaemonAddress
  secret: string | null
}

const nameOf = (address: DaemonAddress): string =>
  address.kind === 'unix' ? address.path : `${address.host}:${address.port}`

/** How long the state of the daemon is not asked for again. */
const stateMs = 20_000

/** The state of the daemon, asked for by one caller at a time and kept for a while. */
function knownState(parts: Parts, outside: Outside): () => Promise<OutsideState> {
  let kept: { untilMs: number; state: Promise<OutsideState> } | null = null
  return () => {
    const nowMs = parts.clock.elapsedMs()
    if (kept !== null && nowMs < kept.untilMs) return kept.state
    const state = probeDaemon(parts, outside)
    kept = { untilMs: nowMs + stateMs, state }
    return state
  }
}

/** A daemon that someone else starts and stops: all sessions of the platform share it. */
export function outsideTransport(parts: Parts, outside: Outside): Transport {
  const { address, secret } = outside
  const state = knownState(parts, outside)
  const running = (platform: Platform, sessionId: string) => ({
    platform,
    accountId: null,
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
    outlivesService: true,
    state,
    async isAvailable() {
      const known = await state()
      return known === 'ready' || known === 'busy'
    },
    async start({ platform, sessionId }, signal) {
      if (signal.aborted) throw new TransportError('failed', 'The start was cancelled')
      return running(platform, sessionId)
    },
    async addressesOf() {
      const host = address.kind === 'tcp' ? address.host : null
      const found = host === null ? [] : await lookup(host, { all: true })
      const addresses = found.flatMap((one) => normalAddress(one.address) ?? [])
      const isHere = host === null || addresses.some(isLoopbackAddress)
      return isHere ? ownAddresses() : addresses
    },
    async remove() {},
    adopt: async (platform, orphans = []) =>
      orphans.map(({ sessionId, userId }) => ({ ...running(platform, sessionId), userId })),
    removeLogin: async () => 'NotFound',
    async stop() {},
  }
}
