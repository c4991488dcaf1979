import pLimit from 'p-limit'
import { isPrivateAddress } from '../../core/lib/address.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { heartbeat } from '../../core/lib/heartbeat.ts'
import type { HeartbeatResult } from './model.ts'

/** Heartbeats asked for at a time. */
const concurrency = 8
/** Lifetime of a verdict. */
const keptMs = 60_000
const addressesMax = 1000

/** Where connections to an address go; tests send those of the network to this machine. */
export type Reach = (address: string) => { host: string; port: number }

export const directly: Reach = (address) => ({ host: address, port: 80 })

/** Verdicts on addresses of the network: whether a cache answers there. */
export function createHeartbeats({ clock, reach }: { clock: Clock; reach: Reach }) {
  const kept = new Map<string, { atMs: number; result: Promise<HeartbeatResult> }>()
  const inTurn = pLimit(concurrency)

  async function ask(address: string): Promise<HeartbeatResult> {
    const { host, port } = reach(address)
    const answer = await heartbeat(host, port)
    if (answer === null) {
      const error = `No cache answers with its heartbeat at ${address}`
      return { reachable: false, servedBy: null, cacheIp: address, error }
    }
    return { reachable: true, servedBy: answer.name, cacheIp: address, error: null }
  }

  function of(address: string): Promise<HeartbeatResult> {
    const known = kept.get(address)
    if (known !== undefined && clock.elapsedMs() - known.atMs < keptMs) return known.result
    if (kept.size >= addressesMax) kept.clear()
    const result = inTurn(() => ask(address))
    kept.set(address, { atMs: clock.elapsedMs(), result })
    return result
  }

  return {
    /** Public addresses are never asked. */
    async ofAll(addresses: readonly string[]): Promise<Map<string, HeartbeatResult>> {
      const near = [...new Set(addresses)].filter(isPrivateAddress)
      return new Map(await Promise.all(near.map(async (ip) => [ip, await of(ip)] as const)))
    },
    /** The first of these addresses where a cache answers. */
    async firstOf(addresses: readonly string[]): Promise<HeartbeatResult | null> {
      const all = await this.ofAll(addresses)
      return [...all.values()].find(({ reachable }) => reachable) ?? null
    },
  }
}

export type Heartbeats = ReturnType<typeof createHeartbeats>
