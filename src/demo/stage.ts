import type { DiskEngine } from '../engines/disk/facade.ts'
import { clients, events } from './demo-data.ts'
import { Visitor } from './visitor.ts'

const password = 'Demo-Account-2026'
/** Games of this size are listed for removal, so that there is something to see and to undo. */
const ruleBytes = 250_000_000
const pollMs = 1000
/** Of a house with a usual line and a price per gigabyte. */
const savings = { lineMbitPerSecond: 100, pricePerGb: 0.05, currency: 'EUR' }

/** What people set up in a network of their own: names, events, accounts, what their line costs, and a guest who looks. */
export async function furnish(visitor: Visitor, url: string, hookUrl: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  for (const { ip, name } of clients) {
    await visitor.write('POST', '/api/client-groups', { nickname: name, initialIps: [ip] })
  }
  for (const { name, from, until, colorIndex } of events) {
    const times = { startTime: now + from, endTime: now + until }
    await visitor.write('POST', '/api/events', { name, colorIndex, ...times })
  }
  await visitor.write('POST', '/api/accounts', { username: 'mika', password, role: 'user' })
  await visitor.write('POST', '/api/ext/notifications/targets', {
    name: 'House chat',
    kind: 'webhook',
    url: hookUrl,
  })
  await visitor.write('PUT', '/api/ext/savings', savings)
  await new Visitor(url).request('POST', '/api/auth/guest')
}

/** What needs the imported log: scans for damage and eviction, and games that a rule lists. */
export async function scanLater(visitor: Visitor, signal: AbortSignal): Promise<void> {
  const isImported = async () => {
    // Form given by the contract.
    const { ingest } = await visitor.read<{ ingest: { firstReadPercent: number | null } }>(
      '/api/ext/status',
    )
    return ingest.firstReadPercent === null
  }
  while (!signal.aborted && !(await isImported())) await Bun.sleep(pollMs)
  if (signal.aborted) return
  await visitor.write('POST', '/api/cache/corruption/detect?detectionMethod=structural')
  await visitor.write('POST', '/api/stats/eviction/reconcile')
  await visitor.write('POST', '/api/ext/retention/rules', {
    name: 'Large games',
    isEnabled: true,
    condition: 'gameLargerThan',
    bytes: ruleBytes,
  })
  await visitor.write('POST', '/api/ext/retention/ask')
}

/** Share of its own disk that the demo's cache fills. */
const filledShare = 0.78

/** A disk that holds the cache only: what else is on this machine's says nothing about it. */
export function ownDisk(engine: DiskEngine, usedBytes: () => number): DiskEngine {
  const capacityBytes = Math.round(usedBytes() / filledShare)
  return {
    async ask(question, path) {
      const answer = await engine.ask(question, path)
      if (question !== 'space' || answer === null) return answer
      const freeBytes = Math.max(0, capacityBytes - usedBytes())
      return { ...answer, capacityBytes, freeBytes }
    },
    stop: () => engine.stop(),
  }
}
